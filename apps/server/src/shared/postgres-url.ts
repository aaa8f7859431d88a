/** Scheme, user and password; hosts; the rest. */
const shape = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^/?#]+)(.*)$/;

/** Which servers the service may work with. The others of libpq lead to a standby, which accepts no writes. */
const allowedTargets = ['primary', 'read-write'];

/**
 * Whether a text is a URL of Postgres: with one host, or several separated by commas (libpq manual, 32.1.1.2
 * "Connection URIs").
 */
export function isPostgresUrl(text: string): boolean {
  const [, beginning = '', hosts = '', rest = ''] = shape.exec(text) ?? [];
  return hosts.split(',').every((host) => {
    const url = beginning + host + rest;
    if (host === '' || !URL.canParse(url)) return false;
    const targets = new URL(url).searchParams.getAll('target_session_attrs');
    return targets.every((target) => allowedTargets.includes(target));
  });
}
