"""Where rows come from: files, objects, databases, and parts of them."""
