//! `DeviceAttributes` as messages.

use ferroflow_distributed::DeviceAttributes;
use ferroflow_proto as pb;

/// Reads what a task says of its device.
pub(crate) fn from_proto(p: pb::DeviceAttributes) -> DeviceAttributes {
    DeviceAttributes { name: p.name, device_type: p.device_type, memory_limit: p.memory_limit, incarnation: p.incarnation }
}

/// Writes what this task knows of a device. The id that only accelerators have is -1, as TF has it for CPUs.
pub(crate) fn to_proto(d: DeviceAttributes) -> pb::DeviceAttributes {
    pb::DeviceAttributes {
        name: d.name,
        device_type: d.device_type,
        memory_limit: d.memory_limit,
        incarnation: d.incarnation,
        locality: Some(pb::DeviceLocality { links: Some(pb::LocalLinks::default()), ..Default::default() }),
        xla_global_id: -1,
        ..Default::default()
    }
}
