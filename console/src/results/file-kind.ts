/*
 * The kind of a file by its bytes: names and types that a tenant gives decide nothing but how text is shown.
 */

export type FileKind =
  | { kind: 'image' | 'audio' | 'video'; type: string }
  | { kind: 'csv' | 'markdown' | 'json' | 'text' }
  /** Nothing that the page shows. */
  | { kind: 'other' }

type Signature = readonly [kind: 'image' | 'audio' | 'video', type: string, at: number, bytes: string]

const signatures: readonly Signature[] = [
  ['image', 'image/png', 0, '\u0089PNG\r\n\u001a\n'],
  ['image', 'image/jpeg', 0, '\u00ff\u00d8\u00ff'],
  ['image', 'image/gif', 0, 'GIF8'],
  ['image', 'image/webp', 8, 'WEBP'],
  ['image', 'image/avif', 4, 'ftypavif'],
  ['audio', 'audio/wav', 8, 'WAVE'],
  ['audio', 'audio/mpeg', 0, 'ID3'],
  ['audio', 'audio/mpeg', 0, '\u00ff\u00fb'],
  ['audio', 'audio/flac', 0, 'fLaC'],
  ['audio', 'audio/ogg', 0, 'OggS'],
  ['video', 'video/mp4', 4, 'ftypisom'],
  ['video', 'video/mp4', 4, 'ftypmp4'],
  ['video', 'video/webm', 0, '\u001aE\u00df\u00a3'],
]

/** How many bytes at its start tell what a file is. */
export const headBytes = 4096

const textKinds: Readonly<Record<string, 'csv' | 'markdown' | 'json'>> = {
  ...{ csv: 'csv', tsv: 'csv', md: 'markdown', markdown: 'markdown', json: 'json' },
}

/** `head` is the start of the file, or all of it. */
export function kindOf(name: string, head: Uint8Array): FileKind {
  const start = String.fromCharCode(...head.subarray(0, 64))
  const found = signatures.find(([, , at, bytes]) => start.startsWith(bytes, at))
  if (found) return { kind: found[0], type: found[1] }
  if (!isText(head)) return { kind: 'other' }
  if (isSvg(head)) return { kind: 'image', type: 'image/svg+xml' }
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  return { kind: (Object.hasOwn(textKinds, ending) && textKinds[ending]) || 'text' }
}

/** UTF-8 without NUL. The start of a file may end within a character. */
function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false
  for (let cut = 0; cut < 4 && cut <= head.length; cut += 1) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, head.length - cut))
      return true
    } catch {}
  }
  return false
}

/** A picture is drawn by the browser without scripts and requests, whatever is in it. */
const isSvg = (head: Uint8Array): boolean =>
  /^\s*(<\?xml[^>]*>\s*)?(<!--[^>]*-->\s*)*(<!DOCTYPE svg[^>[]*>\s*)?<svg[\s>]/i.test(
    new TextDecoder().decode(head),
  )
