"""Citation styles: one module each, with a function `format_<style>_entry(work, accessed=…)`."""
