import { rgbFlag } from './sgr.ts'

/*
 * Colours that a program chose for a ground of its own, moved towards black or white until they can be read on the grounds of the
 * console. Contrast is that of WCAG 2.
 */

type Rgb = [number, number, number]

/** Contrast on the page; on tints and matches it is still 4.5. */
const contrastWanted = 5.5
const grounds = { light: 1, dark: 0.006 } as const

/** The colours 16 to 255 of the palette: a cube of six levels, then greys. */
export function rgbOf(colour: number): Rgb {
  if (colour >= rgbFlag) return [(colour >> 16) & 0xff, (colour >> 8) & 0xff, colour & 0xff]
  if (colour >= 232) {
    const grey = 8 + (colour - 232) * 10
    return [grey, grey, grey]
  }
  const at = colour - 16
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((level) =>
    level === 0 ? 0 : 55 + level * 40,
  ) as Rgb
}

const linear = (value: number): number => {
  const part = value / 255
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

export const luminance = ([red, green, blue]: Rgb): number =>
  0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)

export const contrast = (one: number, other: number): number =>
  (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05)

const mixed = (colour: Rgb, target: number, part: number): Rgb =>
  colour.map((value) => Math.round(value + (target - value) * part)) as Rgb

/** The nearest colour in the direction of the text that can be read on the ground. */
export function readable(colour: Rgb, theme: keyof typeof grounds): Rgb {
  const target = theme === 'light' ? 0 : 255
  for (let part = 0; part < 1; part += 0.05) {
    const moved = mixed(colour, target, part)
    if (contrast(luminance(moved), grounds[theme]) >= contrastWanted) return moved
  }
  return [target, target, target]
}

const cssOf = (colour: Rgb): string => `rgb(${colour.join(' ')})`

/** A value of CSS for both themes, made of numbers alone. */
export function readableCss(colour: number): string {
  const rgb = rgbOf(colour)
  return `light-dark(${cssOf(readable(rgb, 'light'))}, ${cssOf(readable(rgb, 'dark'))})`
}

/** Which of the eight named colours is nearest. */
export function nearestNamed(colour: number): number {
  const [red, green, blue] = rgbOf(colour)
  const high = Math.max(red, green, blue) * 0.6
  return (red > high ? 1 : 0) + (green > high ? 2 : 0) + (blue > high ? 4 : 0)
}
