"""`python -m akm` is the command `akm`."""

import sys

from akm.cli import main

sys.exit(main())
