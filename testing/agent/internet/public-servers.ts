import { createSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { dnsAnswer } from './dns-answer.ts'

/*
 * Servers of a network that a test makes (fake-internet.ts starts this in a namespace of its own): TCP and UDP on every
 * address there is, and a name server on port 53 (dns-answer.ts). Each contact is a line on standard output, so that a test sees what came through.
 *
 *   public-servers NAMES     a JSON object of names and their IPv4 addresses
 *
 *   send N    N bytes come back
 *   take      counts the following bytes and sends the count at the end
 *   hold      keeps the connection open
 *   else      a greeting with the address that was reached
 */
const names = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const ports = [53, 80, 443]
const families = [
  { host: '0.0.0.0', kind: 'udp4' },
  { host: '::', kind: 'udp6' },
] as const

for (const port of ports) {
  for (const { host, kind } of families) {
    createServer({ allowHalfOpen: true }, (socket) => serve(socket)).listen({ port, host, ipv6Only: true })
    const udp = createSocket({ type: kind, ipv6Only: kind === 'udp6' })
    udp.on('message', (message, { address, port: from }) => {
      const answer = port === 53 ? dnsAnswer(message, names) : undefined
      if (answer?.length === 0) return
      if (answer) return udp.send(answer, from, address)
      console.log(`udp ${port} ${message.toString('latin1').trim()}`)
      return udp.send('heard\n', from, address)
    })
    udp.bind(port, host)
  }
}

function serve(socket: Socket): void {
  console.log(`tcp ${socket.localPort} ${socket.localAddress}`)
  socket.on('error', () => socket.destroy())
  let taken = 0
  const lines = createInterface(socket)
  // It repeats the errors of the socket.
  lines.on('error', () => socket.destroy())
  lines.once('line', (line) => {
    const [word, count] = line.split(' ')
    if (word === 'send') socket.end(Buffer.alloc(Number(count), 'x'))
    else if (word === 'take') {
      lines.close()
      taken = 0
      socket.on('data', (chunk: Buffer) => {
        taken += chunk.length
      })
      socket.resume().once('end', () => socket.end(`${taken}\n`))
    } else if (word !== 'hold') socket.end(`hello from ${socket.localAddress}\n`)
  })
}

console.log('ready')
