"""The static wing: rules over a Change give a Report. Nothing here runs code from the tree under review."""
