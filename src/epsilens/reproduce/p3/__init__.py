"""P3: global sensitivities and bounded Laplace noise, section by section."""
