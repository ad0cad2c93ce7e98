"""Statistical rules as pure functions of numbers: `printed`, `sample`, `decision`, `power`."""
