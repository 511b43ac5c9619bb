import { isUtf8 } from 'node:buffer'
import { scriptMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import { CodedError } from '../../base/errors/coded-error.ts'

/**
 * Reads a script from the request, up to the size limit. Every byte is kept, including a byte order mark.
 * Throws `script_too_large`, `script_not_utf8`, `script_contains_nul`.
 */
export async function readScript(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let byteSize = 0
  for await (const bytes of body) {
    byteSize += bytes.length
    if (byteSize > scriptMaxBytes) throw new CodedError('script_too_large', { limit: scriptMaxBytes })
    chunks.push(bytes)
  }
  const content = Buffer.concat(chunks)
  if (!isUtf8(content)) throw new CodedError('script_not_utf8')
  if (content.includes(0)) throw new CodedError('script_contains_nul')
  return content.toString('utf8')
}
