import type { CSSProperties } from 'react'
import { nearestNamed, readableCss } from './readable-colour.ts'
import { type AnsiColour, defaultColour, type Graphics, textFlags } from './sgr.ts'

/** The tokens of the colours 0 to 7. White is the text on any ground. */
const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'black'] as const
const grey = 8
/** Grounds of text are tints, on which every colour can be read. */
const tints = ['soft', 'danger', 'success', 'warning', 'accent', 'platform', 'accent', 'soft'] as const

function textColour(colour: AnsiColour): string {
  if (colour >= 16) return readableCss(colour)
  return colour === grey ? 'var(--ansi-grey)' : `var(--ansi-${names[colour % 8]})`
}

const tintOf = (colour: AnsiColour): string =>
  `var(--${tints[colour >= 16 ? nearestNamed(colour) : colour % 8]}-tint)`

/** How a span looks: tokens and numbers, and nothing of its text. */
export function lookOf({ colour, background, flags }: Graphics): CSSProperties {
  const has = (flag: number) => (flags & flag) !== 0
  const ink = colour === defaultColour ? undefined : textColour(colour)
  const lines = [has(textFlags.underline) && 'underline', has(textFlags.strike) && 'line-through']
  const decoration = lines.filter((line) => line !== false).join(' ')
  return {
    ...(ink !== undefined && { color: ink }),
    ...(background !== defaultColour && { background: tintOf(background) }),
    ...(has(textFlags.inverse) && { color: 'var(--bg)', background: ink ?? 'var(--text)' }),
    ...(has(textFlags.bold) && { fontWeight: 600 }),
    ...(has(textFlags.dim) &&
      colour === defaultColour &&
      !has(textFlags.inverse) && { color: 'var(--soft)' }),
    ...(has(textFlags.italic) && { fontStyle: 'italic' }),
    ...(decoration !== '' && { textDecoration: decoration }),
  }
}
