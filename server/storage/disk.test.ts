import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { storageConformance } from './conformance.ts'
import { DiskStorage } from './disk.ts'

storageConformance('disk', async () => new DiskStorage(await mkdtemp(join(tmpdir(), 'sandbox-objects-'))))
