"""`python -m akmc`, the same as `akmc`."""

import sys

from akmc.cli import main

sys.exit(main())
