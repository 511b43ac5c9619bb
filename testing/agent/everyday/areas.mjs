import assert from 'node:assert/strict'
import { execFileSync, fork, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  createReadStream,
  createWriteStream,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {
  cp,
  mkdir,
  mkdtemp,
  open,
  opendir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer as createHttp, get } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { createGunzip, createGzip } from 'node:zlib'

// A small test of each area of Node that programs use every day; run inside a sandbox by everyday.test.ts.
const folder = await mkdtemp('/workspace/node-')
const inFolder = (name) => join(folder, name)

void test('files', async () => {
  await writeFile(inFolder('a'), 'text')
  assert.equal((await stat(inFolder('a'))).size, 4)
  assert.equal(statSync(inFolder('a')).isFile(), true)
  await symlink('a', inFolder('link'))
  assert.equal(await readFile(inFolder('link'), 'utf8'), 'text')
  await mkdir(inFolder('b/c'), { recursive: true })
  await rename(inFolder('a'), inFolder('b/c/a'))
  await cp(inFolder('b'), inFolder('copy'), { recursive: true })
  assert.deepEqual(readdirSync(inFolder('copy'), { recursive: true }).sort(), ['c', 'c/a'])
  const file = await open(inFolder('positions'), 'w+')
  await file.write('abcdef', 0)
  await file.truncate(4)
  const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 2)
  assert.equal(buffer.toString(), 'cd')
  await file.sync()
  await file.close()
  for await (const { name } of await opendir(folder)) assert.ok(name)
  await rm(inFolder('copy'), { recursive: true })
  assert.equal(existsSync(inFolder('copy')), false)
})

void test('many small files', async () => {
  await mkdir(inFolder('many'))
  await Promise.all(Array.from({ length: 300 }, (_, at) => writeFile(inFolder(`many/${at}`), String(at))))
  const all = await Promise.all(
    readdirSync(inFolder('many')).map((name) => readFile(inFolder(`many/${name}`), 'utf8')),
  )
  assert.equal(
    all.reduce((sum, one) => sum + Number(one), 0),
    44_850,
  )
})

void test('streams and compression', async () => {
  const bytes = randomBytes(2 ** 20)
  writeFileSync(inFolder('plain'), bytes)
  await pipeline(createReadStream(inFolder('plain')), createGzip(), createWriteStream(inFolder('gz')))
  await pipeline(createReadStream(inFolder('gz')), createGunzip(), createWriteStream(inFolder('again')))
  const digest = (data) => createHash('sha256').update(data).digest('hex')
  assert.equal(digest(readFileSync(inFolder('again'))), digest(bytes))
})

void test('processes', async () => {
  assert.equal(
    execFileSync('/bin/sh', ['-c', 'read a; echo got $a'], { input: 'x\n', encoding: 'utf8' }),
    'got x\n',
  )
  const child = spawn('/bin/sh', ['-c', 'exit 7'])
  assert.equal((await once(child, 'exit'))[0], 7)
  const slow = spawn('/bin/sleep', ['100'])
  slow.kill('SIGKILL')
  assert.equal((await once(slow, 'exit'))[1], 'SIGKILL')
  const all = await Promise.all(
    Array.from({ length: 10 }, async () => text(spawn('/bin/echo', ['x']).stdout)),
  )
  assert.deepEqual(
    all,
    Array.from({ length: 10 }, () => 'x\n'),
  )
})

void test('a process of its own kind, and messages', async () => {
  writeFileSync(
    inFolder('child.mjs'),
    `process.on('message', (m) => process.send(m * 2, () => process.exit()))`,
  )
  const child = fork(inFolder('child.mjs'))
  child.send(21)
  assert.equal((await once(child, 'message'))[0], 42)
})

void test('threads and shared memory', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const program = `const { workerData } = require('worker_threads')
    for (let at = 0; at < 1000; at++) Atomics.add(workerData, 0, 1)`
  const workers = Array.from({ length: 4 }, () => new Worker(program, { eval: true, workerData: shared }))
  await Promise.all(workers.map((worker) => once(worker, 'exit')))
  assert.equal(shared[0], 4000)
})

void test('sockets', async () => {
  for (const place of [{ port: 0, host: '127.0.0.1' }, { path: inFolder('socket') }]) {
    const server = createServer((socket) => socket.pipe(socket)).listen(place)
    await once(server, 'listening')
    const socket = connect(place.path ? place : { host: place.host, port: server.address().port })
    socket.end('echo')
    assert.equal(await text(socket), 'echo')
    server.close()
    await once(server, 'close')
  }
})

void test('http', async () => {
  const server = createHttp((request, response) => response.end(`at ${request.url}`)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}/x`
  const [response] = await once(get(url), 'response')
  assert.equal(await text(response), 'at /x')
  assert.equal(await (await fetch(url)).text(), 'at /x')
  server.closeAllConnections()
  server.close()
})

void test('time', async () => {
  const before = performance.now()
  await wait(50)
  assert.ok(performance.now() - before >= 45)
  assert.ok(Math.abs(Date.now() - performance.timeOrigin - performance.now()) < 5000)
})

void test('modules', async () => {
  writeFileSync(inFolder('module.cjs'), 'exports.value = require("node:os").EOL')
  assert.equal((await import(inFolder('module.cjs'))).value, '\n')
})
