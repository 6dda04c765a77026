"""The reference: pages in Markdown about papers, claims, experiments and plug-ins, made from what the code declares."""
