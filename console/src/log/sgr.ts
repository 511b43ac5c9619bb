/*
 * Colours and weights of text as terminals are told them: the sequence `ESC [ … m` (Select Graphic Rendition).
 */

/** -1: the default; 0 to 15: the named colours; 16 to 255: the palette; with `rgbFlag`: a colour of its own. */
export type AnsiColour = number

export const defaultColour: AnsiColour = -1
export const rgbFlag = 0x1000000

export const textFlags = { bold: 1, dim: 2, italic: 4, underline: 8, inverse: 16, strike: 32 } as const

export interface Graphics {
  colour: AnsiColour
  background: AnsiColour
  /** A sum of `textFlags`. */
  flags: number
}

export const plainGraphics: Readonly<Graphics> = {
  colour: defaultColour,
  background: defaultColour,
  flags: 0,
}

export const isPlain = ({ colour, background, flags }: Graphics): boolean =>
  colour === defaultColour && background === defaultColour && flags === 0

export const areEqual = (one: Graphics, other: Graphics): boolean =>
  one.colour === other.colour && one.background === other.background && one.flags === other.flags

/** Longer parameters have no effect. */
export const parametersMaxLength = 256

const { bold, dim, italic, underline, inverse, strike } = textFlags
/** Hidden text is dim: a log shows all that was printed. Blinking has no effect. */
const sets: Readonly<Record<number, number>> = {
  ...{ 1: bold, 2: dim, 3: italic, 4: underline, 7: inverse, 8: dim, 9: strike, 21: underline },
}
const clears: Readonly<Record<number, number>> = {
  ...{ 22: bold | dim, 23: italic, 24: underline, 27: inverse, 28: dim, 29: strike },
}

/** Applies the parameters of one sequence, such as `1;31` or `38;2;0;128;255`. Everything unknown has no effect. */
export function applySgr(graphics: Graphics, parameters: string): void {
  if (parameters.length > parametersMaxLength) return
  const codes = parameters.split(';')
  for (let at = 0; at < codes.length; at += 1) {
    const [code = 0, ...details] = (codes[at] ?? '').split(':').map(Number)
    if (code !== 38 && code !== 48) {
      applyCode(graphics, code, details[0])
      continue
    }
    const isInline = details.length > 0
    const given = isInline ? withoutColourSpace(details) : codes.slice(at + 1, at + 5).map(Number)
    const { colour, used } = extendedColour(given)
    if (!isInline) at += used
    if (colour === undefined) continue
    if (code === 38) graphics.colour = colour
    else graphics.background = colour
  }
}

/** `38:2:SPACE:R:G:B` has one value more than `38:2:R:G:B`. */
const withoutColourSpace = (details: number[]): number[] =>
  details[0] === 2 && details.length > 4 ? [2, ...details.slice(2)] : details

/** Applies one code; `detail` stands after its colon. */
export function applyCode(graphics: Graphics, code: number, detail?: number): void {
  if (code === 0) {
    graphics.colour = defaultColour
    graphics.background = defaultColour
    graphics.flags = 0
  } else if (code < 30) {
    if (code === 4 && detail === 0) graphics.flags &= ~underline
    else graphics.flags = (graphics.flags | (sets[code] ?? 0)) & ~(clears[code] ?? 0)
  } else if (code <= 37) graphics.colour = code - 30
  else if (code === 39) graphics.colour = defaultColour
  else if (code >= 40 && code <= 47) graphics.background = code - 40
  else if (code === 49) graphics.background = defaultColour
  else if (code >= 90 && code <= 97) graphics.colour = code - 82
  else if (code >= 100 && code <= 107) graphics.background = code - 92
}

/** The colour after 38 or 48, and how many parameters it takes. */
function extendedColour([mode, ...values]: number[]): { colour: AnsiColour | undefined; used: number } {
  const isByte = (value: number | undefined): value is number => value !== undefined && value <= 255
  const [first, second, third] = values
  if (mode === 5) return { colour: isByte(first) ? first : undefined, used: 2 }
  if (mode !== 2) return { colour: undefined, used: 1 }
  const isWhole = isByte(first) && isByte(second) && isByte(third)
  return { colour: isWhole ? rgbFlag | (first << 16) | (second << 8) | third : undefined, used: 4 }
}
