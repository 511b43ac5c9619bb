const target = ['target', 'dst', 'destination']
const access = ['ro', 'readonly', 'rw', 'readwrite']

/** Options by mount type. Without `source` and `from` a mount reaches only memory or its own cache. */
const options: Partial<Record<string, Set<string>>> = {
  tmpfs: new Set(['type', 'size', 'tmpfs-size', 'tmpfs-mode', ...target, ...access]),
  cache: new Set(['type', 'id', 'sharing', 'mode', 'uid', 'gid', ...target, ...access]),
}

const plainValue = /^[A-Za-z0-9_./-]*$/
const cacheId = /^[a-z0-9_-]{1,64}$/

/**
 * True if a `RUN --mount` is one of the two allowed kinds (contract, decision D7): `tmpfs`, or `cache`
 * with an `id` that cannot be a path; both with an absolute target without `..`.
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
