/** A file in a multipart body. */
export interface SentFile {
  content: string | Buffer
  name?: string
  part?: string
}

export const multipartHeaders = { 'content-type': 'multipart/form-data; boundary=limit' }

/** One part of a multipart body; without a `name` a field. */
export const partOf = ({ content, name = 'file.bin', part = 'file' }: SentFile): Buffer => {
  const file = name === '' ? '' : `; filename="${name}"`
  const head = `--limit\r\ncontent-disposition: form-data; name="${part}"${file}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')])
}

export const multipartEnd = Buffer.from('--limit--\r\n')
