"""A thousand calls with values that nobody should give; fuzz_calls.py makes others, for as long as one likes."""
import subprocess
import sys
from pathlib import Path


def test_the_process_goes_on():
    fuzzer = Path(__file__).with_name("fuzz_calls.py")
    done = subprocess.run([sys.executable, str(fuzzer), "--seed", "1", "--runs", "1000", "--loud"], capture_output=True,
                          text=True, errors="replace", timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.splitlines()[-1].startswith("1000 calls, ")
