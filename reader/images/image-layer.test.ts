import { expect, test } from 'vitest'
import { tar } from '../formats/archive-fixtures.ts'
import { ArchiveRefused } from '../formats/archive-refused.ts'
import { flatImageBounds } from './flat-image.ts'
import { checkImageLayer, hiddenBy } from './image-layer.ts'

type Entry = Parameters<typeof tar>[number]

async function* chunksOf(bytes: Buffer) {
  yield bytes
}
const check = (entries: Entry[], bounds = flatImageBounds) =>
  checkImageLayer(chunksOf(tar(...entries)), bounds)

const slugOf = (entries: Entry[], bounds = flatImageBounds) =>
  check(entries, bounds).then(
    () => 'accepted',
    (error: unknown) => {
      if (error instanceof ArchiveRefused) return error.slug
      throw error
    },
  )

const folder = (name: string): Entry => ({ name: `${name}/`, type: '5' })
const file = (name: string, content = ''): Entry => ({ name, content })

test('files, folders and whiteouts are accepted and counted', async () => {
  const entries = [folder('.'), folder('a'), file('a/b', 'text'), file('a/.wh.c'), file('.wh.d')]
  expect(await check(entries)).toEqual({ unpackedBytes: 4, entries: 4 })
})

test('a hard link to a link of the layer is accepted', async () => {
  const entries: Entry[] = [
    { name: 'a', type: '2', linkName: '/etc' },
    { name: 'b', type: '1', linkName: 'a' },
  ]
  expect(await check(entries)).toEqual({ unpackedBytes: 0, entries: 2 })
})

test.each<[string, string, Entry[]]>([
  ['with content', 'image_whiteout', [file('.wh.a', 'x')]],
  ['that is a folder', 'image_whiteout', [folder('.wh.a')]],
  ['that is a link', 'image_whiteout', [{ name: '.wh.a', type: '2', linkName: 'b' }]],
  ['of nothing', 'image_whiteout', [file('.wh.')]],
  ['of the folder itself', 'image_whiteout', [file('.wh..')]],
  ['of the parent folder', 'image_whiteout', [folder('a'), file('a/.wh...')]],
  ['that makes a folder opaque', 'image_whiteout', [folder('a'), file('a/.wh..wh..opq')]],
  ['of a whiteout', 'image_whiteout', [file('.wh..wh.a')]],
  ['of an entry before it', 'duplicate_path', [file('a'), file('.wh.a')]],
  ['of an entry after it', 'duplicate_path', [file('.wh.a'), file('a')]],
  ['of a folder of the layer', 'duplicate_path', [folder('a'), file('.wh.a')]],
  ['twice', 'duplicate_path', [file('.wh.a'), file('.wh.a')]],
  ['above an entry', 'layer_folder_missing', [file('.wh.a'), file('a/b')]],
  ['of the platform', 'image_path_reserved', [file('.wh..sandbox')]],
  ['of a device', 'image_path_reserved', [folder('dev'), file('dev/.wh.null')]],
])('a whiteout %s is refused', async (_name, slug, entries) => {
  expect(await slugOf(entries)).toBe(slug)
})

test.each<[string, string, Entry[]]>([
  ['an entry without its folder', 'layer_folder_missing', [file('a/b')]],
  ['an entry before its folder', 'layer_folder_missing', [file('a/b'), folder('a')]],
  ['an entry below a link', 'layer_folder_missing', [{ name: 'a', type: '2', linkName: 'b' }, file('a/b')]],
  ['a hard link out of the layer', 'hard_link_target', [{ name: 'a', type: '1', linkName: 'etc/shadow' }]],
  [
    'an entry below a hard link to a link',
    'layer_folder_missing',
    [{ name: 'a', type: '2', linkName: '/etc' }, { name: 'b', type: '1', linkName: 'a' }, file('b/passwd')],
  ],
  ['a hard link to a whiteout', 'hard_link_target', [file('.wh.a'), { name: 'b', type: '1', linkName: 'a' }]],
  ['a device', 'device_entry', [{ name: 'a', type: '3' }]],
  ['a link at a mount point', 'image_path_reserved', [{ name: 'workspace', type: '2', linkName: 'etc' }]],
  ['a file of the platform', 'image_path_reserved', [folder('.sandbox'), file('.sandbox/init', 'x')]],
])('%s is refused', async (_name, slug, entries) => {
  expect(await slugOf(entries)).toBe(slug)
})

test('the bounds of the whole image count', async () => {
  const entries = [file('a'), file('b')]
  expect(await slugOf(entries, { ...flatImageBounds, maxEntries: 1 })).toBe('archive_too_many_entries')
  expect(await slugOf(entries, { ...flatImageBounds, maxBytes: 512 })).toBe('archive_too_large')
})

test('a whiteout names what it hides', () => {
  expect([hiddenBy('a/.wh.b'), hiddenBy('.wh.b'), hiddenBy('a/b'), hiddenBy('.wh.a/b')]).toEqual([
    'a/b',
    'b',
    undefined,
    undefined,
  ])
})
