"""Views as files: pictures, and pages that need no kernel."""
