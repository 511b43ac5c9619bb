import { afterEach, expect, it, vi } from 'vitest'
import { LoopSlices, Slice } from '../../../../fairness/loop-slices.ts'
import { occurrencesOf } from './occurrences.ts'
import { replaced } from './replacements.ts'

const mebi = 2 ** 20
const slice = new LoopSlices().of('company')

afterEach(() => {
  vi.restoreAllMocks()
})

/** All texts of so many of the letters. */
const wordsOf = (letters: string, length: number): string[] =>
  length === 0 ? [''] : wordsOf(letters, length - 1).flatMap((word) => [...letters].map((one) => word + one))

it('finds a target where a split would cut', () => {
  const texts = [...wordsOf('ab', 9), 'aé€🐴aé€🐴', '']
  const targets = [1, 2, 3, 4].flatMap((length) => wordsOf('ab', length)).concat('€', '🐴a')
  for (const text of texts) {
    for (const target of targets) {
      const ends = text.split(target).slice(0, -1)
      const places = ends.map((_, at) => ends.slice(0, at + 1).join(target).length)
      expect([...occurrencesOf(target, text)], `${target} in ${text}`).toEqual(places)
    }
  }
})

it('needs no longer for a target that almost fits everywhere', () => {
  expect([...occurrencesOf(`ab${'a'.repeat(mebi / 2)}`, 'a'.repeat(mebi))]).toEqual([])
})

it('serves others between replacements', async () => {
  let slices = 0
  const slice = new Slice(async () => {
    slices += 1
  })
  vi.spyOn(performance, 'now').mockReturnValue(Number.POSITIVE_INFINITY)
  const nothing = { target: 'a\nb', replacement: 'a\nb', start_line: 1, end_line: 2 }
  const replacements = Array.from({ length: 64 }, () => nothing)
  expect(await replaced('a\nb', replacements, slice)).toBe('a\nb')
  expect(slices).toBe(64)
})

it('refuses to replace a target that is there too often', async () => {
  const many = { target: 'a', replacement: 'b', allow_multiple: true }
  await expect(replaced('a'.repeat(100_001), [many], slice)).rejects.toMatchObject({ status: 413 })
  expect(await replaced('a'.repeat(100_000), [many], slice)).toBe('b'.repeat(100_000))
})

it('replaces in the lines that are named, and nowhere else', async () => {
  const text = 'x\nx\nx'
  const in_ = (start_line: number | null, end_line: number | null = null) =>
    replaced(text, [{ target: 'x', replacement: 'y', start_line, end_line, allow_multiple: true }], slice)
  expect(await in_(2)).toBe('x\ny\ny')
  expect(await in_(null, 1)).toBe('y\nx\nx')
  expect(await in_(2, 2)).toBe('x\ny\nx')
  expect(await in_(3, 9)).toBe('x\nx\ny')
  await expect(in_(4)).rejects.toMatchObject({ status: 400 })
})
