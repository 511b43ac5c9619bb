const yearSeconds = 31_536_000

/** Keeps a choice of the person in this browser; the server writes it into the page. */
export function writeLook(cookie: string, value: string): void {
  const secure = location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the server reads it before any script runs; cookieStore is not in all browsers
  document.cookie = `${cookie}=${value}; Path=/; SameSite=Strict; Max-Age=${yearSeconds}${secure}`
}
