"""Public stages of BMN20."""
