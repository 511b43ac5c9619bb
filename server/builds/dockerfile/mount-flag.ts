const target = ['target', 'dst', 'destination']
const access = ['ro', 'readonly', 'rw', 'readwrite']

/** Options by mount type. No type reaches anything but memory or a cache of its own: no `source`, no `from`. */
const options: Partial<Record<string, Set<string>>> = {
  tmpfs: new Set(['type', 'size', 'tmpfs-size', 'tmpfs-mode', ...target, ...access]),
  cache: new Set(['type', 'id', 'sharing', 'mode', 'uid', 'gid', ...target, ...access]),
}

const plainValue = /^[A-Za-z0-9_./-]*$/
const cacheId = /^[a-z0-9_-]{1,64}$/

/**
 * True when a `RUN --mount` is one of the two kinds that are allowed (contract, decision D7): `tmpfs`, or `cache`
 * with an `id` that cannot be a path; each to an absolute target without `..`.
 */
export function isAllowedMount(value: string | undefined): boolean {
  const fields = new Map<string, string>()
  for (const part of (value ?? '').split(',')) {
    const [key = '', ...text] = part.split('=')
    if (text.length > 1 || fields.has(key)) return false
    fields.set(key, text[0] ?? '')
  }
  const allowed = options[fields.get('type') ?? '']
  if (!allowed) return false
  const targets = target.filter((name) => fields.has(name))
  const path = fields.get(targets[0] ?? '') ?? ''
  return (
    [...fields].every(([key, text]) => allowed.has(key) && plainValue.test(text)) &&
    targets.length === 1 &&
    path.startsWith('/') &&
    !path.split('/').includes('..') &&
    (fields.get('type') !== 'cache' || cacheId.test(fields.get('id') ?? ''))
  )
}
