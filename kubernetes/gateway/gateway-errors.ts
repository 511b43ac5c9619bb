/** An answer that is no 200, in the words of the wire. */
export class GatewayRefused extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    super(`a collector is answered ${status} ${code}`)
    this.name = 'GatewayRefused'
    this.status = status
    this.code = code
  }
}

export const conflict = (code: string): GatewayRefused => new GatewayRefused(409, code)
export const invalid = (): GatewayRefused => new GatewayRefused(400, 'request_invalid')
export const tooLarge = (): GatewayRefused => new GatewayRefused(413, 'too_large')
export const tooSlow = (): GatewayRefused => new GatewayRefused(408, 'too_slow')
export const unavailable = (): GatewayRefused => new GatewayRefused(503, 'unavailable')
