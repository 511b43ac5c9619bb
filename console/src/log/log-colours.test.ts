import { describe, expect, test } from 'vitest'
import { lookOf } from './log-colours.ts'
import { contrast, luminance, nearestNamed, readable, rgbOf } from './readable-colour.ts'
import { plainGraphics, rgbFlag, textFlags } from './sgr.ts'

const grounds = { light: 1, dark: luminance([0x0f, 0x12, 0x14]) }

describe('every colour of a program can be read', () => {
  test.each(['light', 'dark'] as const)('on the page and on a tint of the %s theme', (theme) => {
    const palette = Array.from({ length: 240 }, (_, at) => 16 + at)
    const own = Array.from(
      { length: 512 },
      (_, at) => rgbFlag | ((at >> 6) * 0x240000 + ((at >> 3) % 8) * 0x2400 + (at % 8) * 0x24),
    )
    for (const colour of [...palette, ...own]) {
      const shown = luminance(readable(rgbOf(colour), theme))
      expect(contrast(shown, grounds[theme])).toBeGreaterThanOrEqual(5.4)
    }
  })

  test('and stays as it is where it can be already', () => {
    expect(readable([0, 0, 200], 'light')).toEqual([0, 0, 200])
    expect(readable([200, 255, 200], 'dark')).toEqual([200, 255, 200])
  })
})

test('the palette has a cube of colours and greys', () => {
  expect([rgbOf(16), rgbOf(196), rgbOf(231), rgbOf(232), rgbOf(255)]).toEqual([
    [0, 0, 0],
    [255, 0, 0],
    [255, 255, 255],
    [8, 8, 8],
    [238, 238, 238],
  ])
  expect([nearestNamed(196), nearestNamed(46), nearestNamed(rgbFlag | 0x2080f0)]).toEqual([1, 2, 4])
})

describe('a look', () => {
  const look = (part: object) => lookOf({ ...plainGraphics, ...part })

  test('is made of tokens', () => {
    expect(look({ colour: 1 })).toEqual({ color: 'var(--ansi-red)' })
    expect(look({ colour: 10, background: 4 })).toEqual({
      color: 'var(--ansi-green)',
      background: 'var(--accent-tint)',
    })
    expect(look({ colour: 8 })).toEqual({ color: 'var(--ansi-grey)' })
  })

  test('of inverse text changes text and ground', () => {
    expect(look({ flags: textFlags.inverse })).toEqual({ color: 'var(--bg)', background: 'var(--text)' })
    expect(look({ colour: 2, flags: textFlags.inverse })).toEqual({
      color: 'var(--bg)',
      background: 'var(--ansi-green)',
    })
  })

  test('has weights and lines', () => {
    const { bold, dim, italic, strike, underline } = textFlags
    expect(look({ flags: bold | italic | underline | strike | dim })).toEqual({
      color: 'var(--soft)',
      fontWeight: 600,
      fontStyle: 'italic',
      textDecoration: 'underline line-through',
    })
  })
})
