/** Messages between a test and the relay in the network namespace of its pod. Bytes are in base64. */
export interface RelayedRequest {
  number: number
  method: string
  path: string
  authorization: string
  body: string
}

export interface RelayAnswer {
  number: number
  status: number
  body: string
  /** Without a length, as the input is. */
  isStream: boolean
  end: 'ends' | 'goes on' | 'cuts' | 'breaks'
}

export type RelayOrder = RelayAnswer | { address: string; port: number; certificate: string; key: string }
