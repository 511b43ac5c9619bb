import { requireParts } from '../first-hour/step.ts'
import { installing, type Operator } from './operator.ts'

/** Folder of `migrations/0003-contract-upgrade-tests.ts`. */
const held = '/var/tmp/upgrade-tests'
const killPackaging = `pkill -KILL --exact 'apt-get|dpkg'
  pkill -KILL --full 'sandbox-jobs[.]postinst|deb-systemd-invok[e]'`

/** Scripts that kill an upgrade in one of its steps. */
export const kills = {
  /** Some files of the package are unpacked, and none of those that were there is replaced. */
  unpacking: `until ls /usr/lib/sandbox-jobs/agent/*.dpkg-new >/dev/null 2>&1; do :; done
  pkill -KILL --exact dpkg`,
  /** The package is unpacked, and its installation restarts the service. */
  restarting: `until pgrep --full 'deb-systemd-invok[e]' >/dev/null; do :; done
  ${killPackaging}`,
  /** The start of the service is within its migration, and is killed too. */
  migrating: `install -d -m 777 ${held} && touch ${held}/hold
  until [ -e ${held}/waits ]; do :; done
  ${killPackaging}
  systemctl kill --kill-who=main --signal=KILL sandbox-jobs.service
  pkill -KILL --full prepare-database[.]mjs`,
}

/** Upgrades to the package, which is killed and then has that status. */
export async function killUpgrade(
  { machine }: Operator,
  file: string,
  { in: step, status }: { in: keyof typeof kills; status: string },
): Promise<void> {
  const [upgrade, kill] = await Promise.all([
    machine.command(...installing(file)),
    machine.command('timeout', '120', 'sh', '-c', kills[step]),
  ])
  if (upgrade.code === 0 || kill.code === 124)
    throw new Error(`the upgrade was not killed:\n${upgrade.text}${kill.text}`)
  requireParts(await machine.must('dpkg', '--status', 'sandbox-jobs'), status)
}

/** Lets migrations end that start from now on. */
export const releaseMigration = ({ machine }: Operator): Promise<string> => machine.must('rm', '-r', held)
