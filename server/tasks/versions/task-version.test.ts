import { describe, expect, it } from 'vitest'
import { contentHashOf, digestOf, emptyContent, slotNamesOf, type VersionContent } from './task-version.ts'

const content: VersionContent = emptyContent('ver_1')

describe('the digest of a version', () => {
  const changes: Partial<VersionContent>[] = [
    { environment_version_id: 'ver_2' },
    { startup_script: ' ' },
    { work_script: ' ' },
    { work_command: 'x' },
    { ordinary_env: { A: '' } },
    { input_instructions: '' },
    { input_example: '1' },
    { input_schema: '{}' },
    { timeout_seconds: 1 },
    { secret_slot_declarations: ['A'] },
    { requires_confirmation: true },
    { output_policy: { kind: 'custom_table_writeback', table_id: 'tbl_1', allowed_ops: 'create' } },
    { bundle_id: 'bun_1', bundle_digest: `sha256:${'a'.repeat(64)}` },
  ]

  it('changes with every field', () => {
    expect(Object.keys(content).toSorted()).toEqual(
      changes.flatMap((change) => Object.keys(change)).toSorted(),
    )
    const digests = changes.map((change) => digestOf({ ...content, ...change }))
    expect(new Set([...digests, digestOf(content)]).size).toBe(changes.length + 1)
  })

  it('is equal for two spellings of the same content', () => {
    const blank = { ...content, work_command: ' \n', ordinary_env: {}, secret_slot_declarations: [] }
    expect(digestOf(blank)).toBe(digestOf(content))
    const plain = { ...content, secret_slot_declarations: ['A', 'B'] }
    const objects = { ...content, secret_slot_declarations: [{ name: 'B' }, 'A'] }
    expect(digestOf(objects)).toBe(digestOf(plain))
  })

  it('changes when text moves from one script to the other', () => {
    const startup = { ...content, startup_script: 'a', work_script: '' }
    const work = { ...content, startup_script: '', work_script: 'a' }
    expect(contentHashOf(startup)).not.toBe(contentHashOf(work))
  })

  it('differs from the content hash, which covers only scripts, driver and bundle', () => {
    const hashes = changes.map((change) => contentHashOf({ ...content, ...change }))
    const moved = hashes.filter((hash) => hash !== contentHashOf(content))
    expect(moved).toHaveLength(4)
  })
})

describe('slot names', () => {
  it('are read from both forms and ignored in unknown forms', () => {
    expect(slotNamesOf(['A', { name: 'B' }, { label: 'C' }, 1, null, { name: 2 }])).toEqual(['A', 'B'])
    expect(slotNamesOf(null)).toEqual([])
  })
})
