const loopbackHosts = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Whether it is an address of the browser's own machine, without a certificate. */
export const isLoopbackAddress = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && loopbackHosts.has(hostname)

/** Whether nobody between the browser and the address can read along: browsers keep secure cookies for such addresses alone. */
export const isSecureAddress = (url: URL): boolean => url.protocol === 'https:' || isLoopbackAddress(url)
