"""The benchmarks run, and say what they measured."""

import re
import subprocess
import sys
from pathlib import Path


def test_the_cost_of_a_process_is_told_as_a_ratio(checkout: Path, tmp_path: Path) -> None:
    argv = [sys.executable, str(checkout / "benchmarks" / "process_cost.py"), "--count", "2", "--rounds", "1"]
    told = subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"^rate, as a ratio +\d+\.\d\d", told, flags=re.MULTILINE)
    assert not list(tmp_path.iterdir())


def test_the_cost_of_a_step_in_process_is_told_as_a_ratio(checkout: Path, tmp_path: Path) -> None:
    argv = [sys.executable, str(checkout / "benchmarks" / "inprocess_steps.py"), "--count", "3", "--rounds", "1"]
    told = subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"^rate, as a ratio +\d+\.\d\d", told, flags=re.MULTILINE)
    assert not list(tmp_path.iterdir())


def test_what_a_map_of_ten_times_the_items_costs_is_told_as_a_ratio(checkout: Path, tmp_path: Path) -> None:
    argv = [sys.executable, str(checkout / "benchmarks" / "map_size.py"), "--count", "2"]
    told = subprocess.run(argv, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    assert re.search(r"^time, as a ratio +\d+\.\d\d", told, flags=re.MULTILINE)
    assert re.search(r"^ +20 items +\d+\.\d\d s +\d+ MB$", told, flags=re.MULTILINE)
    assert not list(tmp_path.iterdir())
