"""The papers: a folder each, with its title, learners and bounds; the laboratory has what measures them."""
