"""What is compiled, how, and against what. A program is compiled again only when something of it changed, because
Pinocchio's takes minutes."""
import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from harness.install import Missing, last_line, run

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "peers")
EIGEN = "/usr/include/eigen3"
NATIVE = ["-O3", "-march=native", "-ffp-contract=fast", "-DNDEBUG"]
PLAIN = ["-O3", "-DNDEBUG"]
# what Pinocchio's own build defines for its users: its joint types are more than Boost's lists hold otherwise
PINOCCHIO = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
             "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]


class Program:
    """One executable: the library it measures, the compiler, its flags and how it is linked."""

    def __init__(self, library, source, compiler, flags, include=(), link=()):
        self.library, self.source, self.compiler, self.flags = library, source, compiler, list(flags)
        self.include, self.link = list(include), list(link)
        self.name = "%s-%s" % (library, compiler.replace("+", "p"))
        self.path = None # known when it is compiled
        self.ilqr = None # how to compile the optimizer that is linked with it, if one is

    def compilation(self, sources, output):
        standard = "-std=gnu11" if self.source.endswith(".c") else "-std=c++17"
        include = [flag for folder in self.include for flag in ("-isystem", folder)]
        return ([self.compiler, standard] + self.flags + include +
                ["-c", os.path.join(sources, self.source), "-o", output + ".o"])

    def linking(self, output):
        objects = [output + ".o", os.path.join(os.path.dirname(output), "peer.o")]
        objects += [output + "-ilqr.o"] if self.ilqr else []
        return [self.compiler] + objects + ["-o", output] + self.link + ["-lm"]


LIBRARIES = ["pinocchio", "mujoco", "kdl", "dart", "rbdl", "dynibo"]


def pinocchio(get, _):
    prefix = get.from_pypi("pin", "cmeel.prefix/include/pinocchio/config.hpp")
    include = os.path.dirname(os.path.dirname(prefix))
    get.header("Eigen/Core", "libeigen3-dev", [EIGEN])
    found = []
    for compiler in ("g++", "clang++"):
        try:
            get.compiler(compiler)
            found.append(Program("pinocchio", "pinocchio.cpp", compiler, NATIVE + PINOCCHIO, [include, EIGEN]))
        except Missing as why:
            print("Pinocchio is measured without %s: %s" % (compiler, why), flush=True)
    return found


def mujoco(get, _):
    library = get.from_pypi("mujoco", "mujoco/libmujoco.so.*")
    folder = os.path.dirname(library)
    return [Program("mujoco", "mujoco.c", "gcc", NATIVE, [os.path.join(folder, "include")],
                    [library, "-Wl,-rpath," + folder])]


# KDL's and DART's objects hold Eigen's, whose layout depends on the registers that a compiler may use: what calls
# them is compiled as Debian compiled them.
def kdl(get, _):
    get.header("kdl/treejnttojacsolver.hpp", "liborocos-kdl-dev")
    get.header("Eigen/Core", "libeigen3-dev", [EIGEN])
    return [Program("kdl", "kdl.cpp", "g++", PLAIN, [EIGEN], ["-lorocos-kdl"])]


def dart(get, _):
    get.header("dart/dynamics/Skeleton.hpp", "libdart-dev")
    get.header("Eigen/Core", "libeigen3-dev", [EIGEN])
    return [Program("dart", "dart.cpp", "g++", PLAIN, [EIGEN], ["-ldart"])]


def rbdl(get, folder):
    """From the sources in $PINION_RBDL, compiled for this processor, or as the system has it."""
    source = os.environ.get("PINION_RBDL")
    get.header("Eigen/Core", "libeigen3-dev", [EIGEN])
    if source:
        if not os.path.exists(os.path.join(source, "CMakeLists.txt")):
            raise Missing("PINION_RBDL names no folder with a CMakeLists.txt")
        build = os.path.join(folder, "rbdl")
        os.makedirs(build, exist_ok=True)
        flags = " ".join(NATIVE)
        for command in (["cmake", "-S", source, "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                         "-DCMAKE_CXX_FLAGS_RELEASE=" + flags],
                        ["cmake", "--build", build, "--target", "rbdl", "--parallel", str(os.cpu_count() or 1)]):
            good, text = run(command, 900)
            if not good:
                raise Missing("the sources in PINION_RBDL do not compile: " + last_line(text))
        return [Program("rbdl", "rbdl.cpp", "g++", NATIVE, [os.path.join(source, "include"),
                                                            os.path.join(build, "include"), EIGEN],
                        ["-L" + build, "-lrbdl", "-Wl,-rpath," + build])]
    if not get.has_header("rbdl/rbdl.h", [EIGEN]):
        try:
            get.apt("librbdl-dev")
        except Missing as why:
            raise Missing("%s; PINION_RBDL=FOLDER names a folder with its sources" % why) from why
    return [Program("rbdl", "rbdl.cpp", "g++", PLAIN, [EIGEN], ["-lrbdl"])]


def dynibo(_, folder):
    """A crate of Rust, behind functions of C; cargo gets it. The copy is for the file that cargo writes beside it."""
    if not shutil.which("cargo"):
        raise Missing("no cargo; the crate needs Rust 1.85 or later")
    crate, built = os.path.join(folder, "dynibo-crate"), os.path.join(folder, "dynibo-build")
    shutil.copytree(os.path.join(SOURCES, "dynibo"), crate, dirs_exist_ok=True)
    good, text = run(["cargo", "build", "--release", "--quiet", "--manifest-path", os.path.join(crate, "Cargo.toml"),
                      "--target-dir", built], 900, env=dict(os.environ, RUSTFLAGS="-C target-cpu=native"))
    if not good:
        raise Missing("cargo: " + last_line(text))
    return [Program("dynibo", "dynibo.c", "gcc", NATIVE, [],
                    [os.path.join(built, "release", "libdynibo_peer.a"), "-lpthread", "-ldl"])]


PEERS = {"pinocchio": pinocchio, "mujoco": mujoco, "kdl": kdl, "dart": dart, "rbdl": rbdl, "dynibo": dynibo}


def pinion(root, build):
    """Our own programs, linked with the release build: what is measured, what writes what all of them read, and the
    optimizer of the examples."""
    return [Program(name, source, "gcc", flags, [os.path.join(root, "include")], pinion_link(build))
            for name, source, flags in (("pinion", "pinion.c", ["-O2"]), ("describe", "describe.c", ["-O2"]),
                                        ("ilqr", "ilqr.c", NATIVE))]


def pinion_link(build):
    return ["-L" + build, "-lpinion", "-Wl,-rpath," + build]


def add_ilqr(made, root, build):
    """Pinocchio's programs run the same optimizer, with their own dynamics and Pinion for the rest."""
    for program in made:
        if program.library == "pinocchio":
            program.ilqr = (["gcc", "-std=gnu11"] + NATIVE +
                            ["-DPEER_DYNAMICS", "-isystem", os.path.join(root, "include"), "-c"])
            program.link += pinion_link(build)


def compile_all(programs, sources, folder):
    """Compiles what changed, several at once. Returns {program: why it failed}."""
    os.makedirs(folder, exist_ok=True)
    good, text = run(["gcc", "-std=gnu11", "-O2", "-c", os.path.join(sources, "peer.c"), "-o",
                      os.path.join(folder, "peer.o")], 120)
    if not good:
        raise SystemExit("bench-peers: peer.c does not compile:\n" + text)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        why = list(pool.map(lambda program: compile_one(program, sources, folder), programs))
    return {program: reason for program, reason in zip(programs, why) if reason}


def compile_one(program, sources, folder):
    output = os.path.join(folder, program.name)
    command = program.compilation(sources, output)
    key = fingerprint(program, command, sources)
    try:
        with open(output + ".key") as file:
            current = file.read() == key and os.path.exists(output + ".o") and program.library in PEERS
    except OSError:
        current = False
    if not current:
        print("compiling " + program.name, flush=True)
        good, text = run(command, 5400) # minutes, and an hour on a busy machine
        if not good:
            return failure(program, command, text, output)
        with open(output + ".key", "w") as file:
            file.write(key)
    if program.ilqr:
        command = program.ilqr + [os.path.join(sources, "ilqr.c"), "-o", output + "-ilqr.o"]
        good, text = run(command, 120)
        if not good:
            return failure(program, command, text, output)
    command = program.linking(output)
    good, text = run(command, 300)
    if not good:
        return failure(program, command, text, output)
    program.path = output
    return None


def failure(program, command, text, output):
    """The first error in a line; all of it goes to a file."""
    with open(output + ".log", "w") as file:
        file.write(" ".join(command) + "\n" + text)
    errors = [line for line in text.splitlines() if "error" in line] or [last_line(text)]
    return "it does not compile (all of it is in %s): %s" % (output + ".log", errors[0])


def fingerprint(program, command, sources):
    """Of the source, the command, the compiler, and the library's headers as far as their folder's age tells."""
    text = " ".join(command) + compiler_version(program.compiler)
    for name in (program.source, "peer.h"):
        with open(os.path.join(sources, name)) as file:
            text += file.read()
    for folder in program.include:
        text += "%s %s" % (folder, os.stat(folder).st_mtime_ns if os.path.isdir(folder) else "")
    return hashlib.sha256(text.encode()).hexdigest()


def compiler_version(compiler):
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True)
    return done.stdout.splitlines()[0] if done.returncode == 0 and done.stdout else "unknown"
