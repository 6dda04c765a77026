"""What each figure must show, in a module of the figure's name: ``shown(tables, **options)``."""
