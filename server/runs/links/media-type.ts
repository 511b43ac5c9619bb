import { isUtf8 } from 'node:buffer'

/*
 * The true type of what may be shown from this origin, decided by its bytes: raster images, and plain text. A name only
 * distinguishes CSV from other text. Everything else is only ever downloaded; text that starts as markup does is among it.
 */

/** So many bytes decide. */
export const sniffedBytes = 4096

const rasters: [string, (bytes: Buffer) => boolean][] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', (bytes) => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', (bytes) => /^RIFF....WEBP/s.test(bytes.toString('latin1', 0, 12))],
]

// biome-ignore lint/suspicious/noControlCharactersInRegex: what no text file has
const controls = /[\u0000-\u0008\u000b\u000e-\u001f\u007f]/

/** Undefined for what is never shown. `bytes` are the first `sniffedBytes`, `isWhole` when there are no more. */
export function mediaTypeOf(name: string, bytes: Buffer, isWhole: boolean): string | undefined {
  const raster = rasters.find(([, fits]) => fits(bytes))
  if (raster) return raster[0]
  const text = textOf(bytes, isWhole)
  if (text === undefined || controls.test(text) || /^[\s\ufeff]*</.test(text)) return undefined
  return /\.csv$/i.test(name) ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8'
}

/**
 * The type that a share page shows a file with. SVG is among it: as an image it runs no script and loads nothing, and its own
 * address has a policy under which it cannot either.
 */
export const sharedTypeOf = (name: string, bytes: Buffer, isWhole: boolean): string | undefined =>
  mediaTypeOf(name, bytes, isWhole) ?? (isSvg(textOf(bytes, isWhole)) ? svgType : undefined)

const svgType = 'image/svg+xml'
/** With at most one comment before the root, and no definitions of entities. */
const svgStart = /^\ufeff?\s*(?:<\?xml [^>]*>\s*)?(?:<!--[^>]*-->\s*)?(?:<!DOCTYPE svg [^>[]*>\s*)?<svg[\s>/]/
const isSvg = (text: string | undefined): boolean =>
  text !== undefined && !controls.test(text) && svgStart.test(text)

export const isImage = (type: string | undefined): boolean => type?.startsWith('image/') === true
export const isRaster = (type: string | undefined): boolean => isImage(type) && type !== svgType

/** The last character may be cut. */
function textOf(bytes: Buffer, isWhole: boolean): string | undefined {
  for (let cut = 0; cut <= (isWhole ? 0 : 3); cut += 1) {
    const part = bytes.subarray(0, bytes.length - cut)
    if (isUtf8(part)) return part.toString('utf8')
  }
  return undefined
}
