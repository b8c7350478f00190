"""What the names of image sizes mean in pixels, where a provider does not decide it itself."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

ImageSize = Literal["huge", "icon", "large", "medium", "small", "xlarge", "xxlarge"]

# The least and the most pixels (width times height) of each; None for no upper bound.
PIXELS_BY_SIZE = MappingProxyType(
    {
        "icon": (1, 256 * 256),
        "small": (1, 640 * 480 - 1),
        "medium": (640 * 480, 1600 * 1200 - 1),
        "large": (1600 * 1200, None),
        "xlarge": (2272 * 1704, None),
        "xxlarge": (3264 * 2448, None),
        "huge": (4608 * 3456, None),
    }
)
