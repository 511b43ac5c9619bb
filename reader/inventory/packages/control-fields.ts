/**
 * Paragraphs of `Name: value` lines, separated by empty lines, as dpkg, Python and others write them. Continuation lines
 * are skipped: no field of interest has any.
 */
export function* controlParagraphs(content: Buffer): Generator<Map<string, string>> {
  let fields = new Map<string, string>()
  for (const line of lines(content)) {
    if (line === '') {
      if (fields.size > 0) yield fields
      fields = new Map()
      continue
    }
    const colon = line.indexOf(':')
    const isField = colon > 0 && line[0] !== ' ' && line[0] !== '\t'
    const name = line.slice(0, colon)
    // The first one counts, as for dpkg.
    if (isField && !fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  if (fields.size > 0) yield fields
}

/** Lines without their ends. A line too long for any field is yielded empty, which at worst ends a paragraph. */
export function* lines(content: Buffer): Generator<string> {
  let from = 0
  while (from < content.length) {
    const found = content.indexOf(0x0a, from)
    const to = found === -1 ? content.length : found
    yield to - from > maxLineBytes ? '' : content.toString('utf8', from, to).trimEnd()
    from = to + 1
  }
}

const maxLineBytes = 64 * 1024
