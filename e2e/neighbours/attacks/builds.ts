import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '@sandbox-jobs/contract/client/api-error.ts'
import { createClient } from '@sandbox-jobs/contract/client/client.ts'
import { uploadCapabilityHeader } from '@sandbox-jobs/contract/resources/environments/context-upload.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { packContext } from '../../../cli/push/pack-context.ts'
import { type Answers, type Attack, count } from '../attack.ts'
import type { Hostile } from '../companies.ts'

const slowDockerfile = 'FROM curated/python:3.11\nRUN sleep 600\n'
const pauseMs = 200

/** Uploads an archive and queues a build of it. */
async function queueBuild(hostile: Hostile, number: number): Promise<void> {
  const client = createClient({ baseUrl: hostile.url, token: hostile.token })
  const id = hostile.environmentId
  const archive = await packed(`${slowDockerfile}RUN echo ${number}\n`)
  const opened = await client.call(allRoutes.initContextUpload, {
    params: { id },
    body: { declared_bytes: archive.length, archive_format: 'tar.gz' },
  })
  const params = { id, sid: opened.upload_session_id }
  const headers = { [uploadCapabilityHeader]: opened.capability_token }
  await client.call(allRoutes.putContextUpload, { params, upload: new Uint8Array(archive), headers })
  const object = await client.call(allRoutes.completeContextUpload, { params, body: {} })
  const version = await client.call(allRoutes.createEnvironmentVersion, {
    params: { id },
    body: { owned_object_id: object.owned_object_id, resource_profile: 'standard' },
  })
  await client.call(allRoutes.createBuild, { params: { id, vid: version.id } })
}

async function packed(dockerfile: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'neighbours-'))
  try {
    await writeFile(join(folder, 'Dockerfile'), dockerfile)
    const context = await packContext(folder)
    try {
      return await readFile(context.path)
    } finally {
      await context.remove()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

const builds: Attack = {
  name: 'builds',
  about: 'builds that take the maximum time, in every slot',
  async run(hostile, signal, answers) {
    for (let number = Date.now(); !signal.aborted; number += 1)
      await counted(answers, queueBuild(hostile, number))
  },
}

const uploads: Attack = {
  name: 'uploads',
  about: 'uploads that are opened with a large declared size and never sent',
  async run(hostile, signal, answers) {
    const client = createClient({ baseUrl: hostile.url, token: hostile.token })
    while (!signal.aborted) {
      const opening = client.call(allRoutes.initContextUpload, {
        params: { id: hostile.environmentId },
        body: { declared_bytes: 1024 ** 3, archive_format: 'tar' },
      })
      await counted(answers, opening)
    }
  },
}

async function counted(answers: Answers, work: Promise<unknown>): Promise<void> {
  try {
    await work
    count(answers, 'taken')
  } catch (error) {
    count(answers, error instanceof ApiError ? (error.code ?? error.status) : 'error')
    await sleep(pauseMs)
  }
}

export const buildAttacks: Attack[] = [builds, uploads]
