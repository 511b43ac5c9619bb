import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readOrigins } from './build-origins.ts'

const digest = `sha256:${'a'.repeat(64)}`
const builder = 'buildah version 1.28.2'
const read = (lines: string[], bases: string[], stages = 0) =>
  readOrigins(Readable.from([Buffer.from(lines.join('\n'))]), { bases, stages })

test('the first lines have the builder’s version and each base image in order', async () => {
  const lines = [
    builder,
    `base ${digest} curated/a:1`,
    `base ${digest} curated/b:1`,
    'STEP 1/1: FROM curated/a:1',
  ]
  expect(await read(lines, ['curated/a:1', 'curated/b:1'])).toEqual({
    builderVersion: '1.28.2',
    baseImages: [
      { name: 'curated/a:1', digest },
      { name: 'curated/b:1', digest },
    ],
    stages: new Map(),
  })
  expect(await read([builder, 'STEP 1/1: FROM scratch'], [])).toEqual({
    builderVersion: '1.28.2',
    baseImages: [],
    stages: new Map(),
  })
})

test('the next lines have the cached stages', async () => {
  const base = `base ${digest} curated/a:1`
  const lines = [builder, base, `prefix ${digest} 10`, `prefix ${digest} 2`, 'STEP 1/1: FROM scratch']
  const stages = new Map([
    [10, digest],
    [2, digest],
  ])
  expect(await read(lines, ['curated/a:1'], 2)).toMatchObject({ stages })
  expect(await read(lines, ['curated/a:1'], 3)).toBeUndefined()
  expect(await read([builder, base, 'STEP 1/1', `prefix ${digest} 2`], ['curated/a:1'], 1)).toBeUndefined()
})

test('the earlier log that the script prints first is skipped by its length', async () => {
  const given = Buffer.from(`${builder}\nSTEP 1/1: a step, without an end of its line`)
  const log = Buffer.concat([
    given,
    Buffer.from(`${builder.replace('1.28.2', '1.29')}\nbase ${digest} curated/a:1\n`),
  ])
  const read = (size: number, skippedBytes: number) => {
    const chunks = Array.from({ length: Math.ceil(log.length / size) }, (_, at) =>
      log.subarray(at * size, (at + 1) * size),
    )
    return readOrigins(Readable.from(chunks), { bases: ['curated/a:1'], stages: 0, skippedBytes })
  }
  for (const size of [1, 7, given.length, log.length]) {
    expect(await read(size, given.length)).toMatchObject({ builderVersion: '1.29' })
    expect(await read(size, given.length - 1)).toBeUndefined()
  }
})

test('later output of a step is not read as such lines', async () => {
  const step = ['STEP 1/2: FROM curated/a:1', `base ${digest} curated/a:1`]
  expect(await read([builder, ...step], ['curated/a:1'])).toBeUndefined()
  expect(await read([builder, `base ${digest} curated/b:1`], ['curated/a:1'])).toBeUndefined()
  expect(await read(['', builder], [])).toBeUndefined()
  expect(await read([], [])).toBeUndefined()
})
