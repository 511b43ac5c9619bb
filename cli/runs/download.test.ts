import { expect, test } from 'vitest'
import { escapedText, textOf } from './download.ts'

const streamOf = (chunks: Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

const shown = async (bytes: Uint8Array, size: number): Promise<string> => {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
  let text = ''
  for await (const part of escapedText(streamOf(chunks))) text += part
  return text
}

test('text is escaped the same for any chunk boundaries', async () => {
  const bytes = new TextEncoder().encode('Zürich\r\n👩\u001b[31m\ttab\rover\n')
  for (const size of [1, 2, 3, 5, 100]) {
    expect(await shown(bytes, size)).toBe('Zürich\n👩\\x1b[31m\ttab\\x0dover\n')
  }
})

test('invalid UTF-8 is shown as such', async () => {
  expect(await shown(new Uint8Array([65, 255, 66]), 1)).toBe('A\ufffdB')
})

test('a text above the size limit is refused', async () => {
  await expect(textOf(streamOf([new Uint8Array(8)]), 7)).rejects.toThrow('longer than 7 bytes')
})
