import type { Attempt, Table } from '../attempt.ts'
import { neighbourKey, type Testbed } from '../testbed.ts'

const to = (name: string, what: string, command: string): Attempt => ({ name, what, command })

const byNumber = (neighbourPid: number) => [
  to('signal_by_host_pid', 'kills a neighbour by its number outside', `probe signal ${neighbourPid} 9`),
  to('stop_by_host_pid', 'stops a neighbour by its number outside', `probe signal ${neighbourPid} 19`),
  to(
    'memory_by_host_pid',
    `reads a neighbour's memory by its number`,
    `probe read /proc/${neighbourPid}/mem`,
  ),
  to(
    'environ_by_host_pid',
    `reads a neighbour's environment by its number`,
    `probe read /proc/${neighbourPid}/environ`,
  ),
  to('root_by_host_pid', `reads a neighbour's files by its number`, `ls /proc/${neighbourPid}/root/`),
  to('files_by_host_pid', `opens a neighbour's descriptors by its number`, `ls /proc/${neighbourPid}/fd/`),
]

/** Files that it shares the pages of with others, and the host's canary in `folder`. */
const byFiles = (folder: string): Attempt[] => [
  to(
    'dirty_pipe',
    'writes to a file of its image through a pipe (CVE-2022-0847)',
    'probe dirty-pipe /usr/bin/probe',
  ),
  to(
    'dirty_pipe_platform',
    `writes to the platform's shell through a pipe`,
    'probe dirty-pipe /.sandbox/busybox',
  ),
  to(
    'dirty_cow',
    'writes to a file of its image through its own memory (CVE-2016-5195)',
    'probe dirty-cow /usr/bin/probe',
  ),
  to(
    'dirty_cow_platform',
    `writes to the platform's shell through its own memory`,
    'probe dirty-cow /.sandbox/busybox',
  ),
  to(
    'shim_sockets',
    `finds the keeper's socket, or another runtime's (CVE-2020-15257)`,
    'grep -qE "ctl|shim|containerd" /proc/net/unix',
  ),
  {
    ...to(
      'overwrite_init',
      `overwrites the platform's first process (CVE-2019-5736)`,
      'echo bad >/.sandbox/init',
    ),
    expected: 'contained',
  },
  {
    ...to('replace_probe', 'replaces a file of its image', 'rm /usr/bin/probe && echo bad >/usr/bin/probe'),
    expected: 'contained',
  },
  to('host_folder', `reads the host's canary by its path`, `cat ${folder}/canary`),
  to('host_folder_root', 'reads it through process 1', `cat /proc/1/root${folder}/canary`),
  to('host_folder_up', 'reads it above the root', `cat /../../../..${folder}/canary`),
  to('host_folder_cwd', 'reads it above its folder', `cat ../../../../../..${folder}/canary`),
]

/** Ways to a job that runs at the same time, and to programs of the host. */
export function neighbours({ canaries, neighbourPid, neighbourIdBase, agent }: Testbed): Table {
  const key = String(neighbourKey)
  return {
    class: 'neighbours',
    attempts: [
      to('shared_memory', `attaches a neighbour's memory`, `probe shared-memory ${key}`),
      to('host_shared_memory', `attaches the host's memory`, `probe shared-memory ${canaries.segmentKey}`),
      to('messages', `takes a neighbour's messages`, `probe messages ${key}`),
      to('semaphores', `holds a neighbour's semaphores`, `probe semaphores ${key}`),
      to('queue', `opens a neighbour's queue`, 'probe queue /sbj-neighbour'),
      to('dev_shm', `reads a neighbour's file in /dev/shm`, 'cat /dev/shm/sbj-neighbour'),
      to('abstract', `connects to a neighbour's abstract socket`, 'probe abstract sbj-neighbour'),
      to('host_abstract', `connects to the host's abstract socket`, `probe abstract ${canaries.socketName}`),
      to('abstract_listed', 'finds abstract sockets of others', 'grep -q sbj- /proc/net/unix'),
      to('loopback', `connects to a neighbour's port`, 'probe tcp 7777'),
      to('loopback_80', `connects to a port of the machine's`, 'probe tcp 80'),
      to('loopback_5432', `connects to a database of the host's`, 'probe tcp 5432'),
      to('loopback_8080', 'connects to the service', 'probe tcp 8080'),
      to('agent_socket', `finds the agent's socket`, `[ -e ${agent.dataDir}/agent.sock ]`),
      to('agent_socket_listed', `finds the agent's socket in a list`, 'grep -q agent[.]sock /proc/net/unix'),
      to(
        'runtime_sockets',
        'finds a socket of another runtime',
        'ls /run/*.sock /var/run/*.sock /run/containerd /var/run/docker.sock',
      ),
      ...byNumber(neighbourPid),
      {
        ...to(
          'ids_of_neighbour',
          `finds that it has a neighbour's ids`,
          `grep -qE '^ *0 +${neighbourIdBase} ' /proc/self/uid_map`,
        ),
        gvisorNote: 'ids of its own kernel',
      },
      to('signal_agent', 'kills the agent', `probe signal ${agent.process?.pid ?? 0} 9`),
      ...[2, 4, 5, 100, 1000].map((pid) =>
        to(
          `signal_${pid}`,
          `signals a process that is not there`,
          `[ -d /proc/${pid} ] || probe signal ${pid} 0 && ! [ -d /proc/${pid} ]`,
        ),
      ),
      ...byFiles(canaries.folder),
    ],
  }
}
