import { expect, test } from 'vitest'
import { edited, sourceOf } from './broken-copy.ts'
import { holes } from './holes.ts'

test.each(holes)('the control that "$name" takes away is in the source, once', async ({ edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const source = await sourceOf(file)
    const own = edits.filter((edit) => edit.file === file)
    expect(edited(source, own)).not.toBe(source)
  }
})
