/** Why `consume` and `penalty` refuse several points, and why there is no `reward`. */
export function costsOnePoint(): TypeError {
  return new TypeError('A request of an API key costs one point, and no point is given back.');
}

/** Why there is no `set` and no `block`. */
export function cannotSet(): TypeError {
  return new TypeError(
    'Two windows cannot be set to one count, and only the ban rule bans. To block a key, revoke it.',
  );
}
