import { expect, test } from 'vitest'
import { holes } from './holes/index.ts'
import { applyEdits, sourceOf } from './patched-copy.ts'

test.each(holes)('the control that "$name" removes is in the source exactly once', async ({ edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const source = await sourceOf(file)
    const own = edits.filter((edit) => edit.file === file)
    expect(applyEdits(source, own)).not.toBe(source)
  }
})
