"""Statistical rules as pure functions of numbers, from `printed` and `sample` up to `decision`, `families`,
`power`."""
