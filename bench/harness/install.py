"""Gets the other libraries: from PyPI into a virtual environment of our own, from the system's packages with apt.

Nothing here stops the run. A library that cannot be had gets a reason, and the report prints it."""
import glob
import os
import shutil
import signal
import subprocess
import sys


class Missing(Exception):
    """Why a library is not there."""


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith(("error", "e:"))]
    return (errors or lines or ["no message"])[-1]


def run(command, seconds, **options):
    """Runs a command to its end and returns (succeeded, output); what outlasts its time ends with all it has started."""
    try:
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", start_new_session=True, **options) as process:
            try:
                text, _ = process.communicate(timeout=seconds)
                return process.returncode == 0, text
            except BaseException as stopped: # Ctrl-C does not reach another session
                os.killpg(process.pid, signal.SIGKILL)
                if not isinstance(stopped, subprocess.TimeoutExpired):
                    raise
                return False, "error: no answer within %d seconds" % seconds
    except OSError as error:
        return False, "error: " + str(error)


class Installer:
    def __init__(self, folder):
        self.folder = folder
        self.updated = False

    # PyPI -------------------------------------------------------------------------------------

    def site_packages(self):
        """The folder of the private environment that packages go to; made when it is not there."""
        venv = os.path.join(self.folder, "venv")
        python = os.path.join(venv, "bin", "python")
        if not os.path.exists(python):
            print("making a virtual environment", flush=True)
            good, text = run([sys.executable, "-m", "venv", venv], 120)
            if not good:
                shutil.rmtree(venv, ignore_errors=True)
                raise Missing("no virtual environment (on Debian: apt-get install python3-venv): " + last_line(text))
        good, text = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], 60)
        if not good:
            raise Missing("the virtual environment does not run; remove " + venv)
        return text.strip()

    def from_pypi(self, package, proof):
        """The first file that matches `proof` below the environment's packages, after installing what is missing."""
        site = self.site_packages()
        found = glob.glob(os.path.join(site, proof))
        if not found:
            print("installing %s from PyPI" % package, flush=True)
            pip = [os.path.join(self.folder, "venv", "bin", "python"), "-m", "pip", "install", "--quiet",
                   "--disable-pip-version-check", "--retries", "1", "--timeout", "20", package]
            good, text = run(pip, 600)
            found = glob.glob(os.path.join(site, proof))
            if not good:
                raise Missing("pip install %s: %s" % (package, last_line(text)))
            if not found:
                raise Missing("%s is installed, but it has no %s" % (package, proof))
        return sorted(found)[0]

    # Debian, Ubuntu ---------------------------------------------------------------------------

    def apt(self, *packages):
        if not shutil.which("apt-get"):
            raise Missing("no apt-get here; install the equivalent of " + " ".join(packages))
        root = [] if os.geteuid() == 0 else ["sudo", "-n"]
        if root and not run(root + ["true"], 20)[0]:
            raise Missing("not root and no sudo without a password: apt-get install " + " ".join(packages))
        apt = root + ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"]
        if not self.updated:
            run(apt + ["update"], 300) # old lists may still do
            self.updated = True
        for package in packages:
            if not run(["apt-cache", "show", "--no-all-versions", package], 60)[0]:
                raise Missing("this system has no package " + package)
        print("installing " + " ".join(packages), flush=True)
        good, text = run(apt + ["install", "-y", "--no-install-recommends"] + list(packages), 900)
        if not good:
            raise Missing("apt-get install %s: %s" % (" ".join(packages), last_line(text)))

    def header(self, header, package, include=()):
        """Makes sure that g++ finds a header."""
        if not self.has_header(header, include):
            self.apt(package)
            if not self.has_header(header, include):
                raise Missing("%s is installed, but <%s> is not found" % (package, header))

    @staticmethod
    def has_header(header, include=()):
        flags = [flag for folder in include for flag in ("-I", folder)]
        done = subprocess.run(["g++", "-E", "-x", "c++", "-std=c++17"] + flags + ["-"], text=True,
                              input="#if !__has_include(<%s>)\n#error\n#endif\n" % header, capture_output=True)
        return done.returncode == 0

    def compiler(self, name):
        if not shutil.which(name):
            self.apt("clang" if name.startswith("clang") else name)
        if not shutil.which(name):
            raise Missing("no " + name)
