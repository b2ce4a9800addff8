"""The script that Streamlit runs, in a folder of its own: it would take a folder ``pages`` beside it for scripts."""
