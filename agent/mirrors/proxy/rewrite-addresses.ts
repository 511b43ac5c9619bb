import { Transform } from 'node:stream'

/** Replaces each `from` in a stream by `to`: an index may name files by the mirror's own address, which steps do not reach. */
export function rewriteAddresses(from: string, to: string): Transform {
  const needle = Buffer.from(from)
  const replacement = Buffer.from(to)
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let bytes = Buffer.concat([rest, chunk])
      for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle)) {
        this.push(bytes.subarray(0, at))
        this.push(replacement)
        bytes = bytes.subarray(at + needle.length)
      }
      // The end may be the start of an address.
      const complete = Math.max(0, bytes.length - needle.length + 1)
      this.push(bytes.subarray(0, complete))
      rest = bytes.subarray(complete)
      done()
    },
    flush(done) {
      done(null, rest)
    },
  })
}
