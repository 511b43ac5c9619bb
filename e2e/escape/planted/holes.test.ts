import { expect, test } from 'vitest'
import { editsOn, runtimesOf } from './holes/hole.ts'
import { holes } from './holes/index.ts'
import { applyEdits, sourceOf } from './patched-copy.ts'

const planted = holes.flatMap((hole) =>
  runtimesOf(hole).map((runtime) => ({ name: hole.name, runtime, edits: editsOn(hole, runtime) })),
)

test.each(planted)('what "$name" removes on $runtime is in the source exactly once', async ({ edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const source = await sourceOf(file)
    const own = edits.filter((edit) => edit.file === file)
    expect(applyEdits(source, own)).not.toBe(source)
  }
})
