import { useRef } from 'react'

/** The key of a request. The same request keeps its key: pressing again after an answer that got lost does nothing twice. */
export function useIntentKey(): (request: unknown) => string {
  const sent = useRef({ text: '', key: '' })
  return (request) => {
    const text = JSON.stringify(request)
    if (text !== sent.current.text) sent.current = { text, key: crypto.randomUUID() }
    return sent.current.key
  }
}
