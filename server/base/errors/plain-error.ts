/** A response whose `detail` is plain text, as in the authentication layer (contract part 2, "Errors"). */
export class PlainError extends Error {
  readonly status: number
  readonly headers: Record<string, string>

  constructor(status: number, text: string, headers: Record<string, string> = {}) {
    super(text)
    this.name = 'PlainError'
    this.status = status
    this.headers = headers
  }
}
