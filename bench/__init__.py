"""What Turnwright costs, measured beside a bare reference in one run. `python -m bench --help` (or `make bench`)."""
