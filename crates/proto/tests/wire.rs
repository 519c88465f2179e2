//! The messages against bytes written down by hand: numbers, wire types, presence, packing, and input that is not a message.

use bytes::Bytes;
use ferroflow_proto::attr_value::{ListValue, Value};
use ferroflow_proto::*;

fn dims(sizes: &[i64]) -> TensorShapeProto {
    let dim = sizes.iter().map(|&size| tensor_shape_proto::Dim { size, name: String::new() }).collect();
    TensorShapeProto { dim, unknown_rank: false }
}

#[test]
fn the_header_of_a_one_shard_bundle_has_the_recorded_bytes() {
    let bytes = [0x08, 0x01, 0x1a, 0x02, 0x08, 0x01];
    let header = BundleHeaderProto {
        num_shards: 1,
        endianness: bundle_header_proto::Endianness::Little.into(),
        version: Some(VersionDef { producer: 1, ..Default::default() }),
    };
    assert_eq!(header.encode_to_vec(), bytes);
    assert_eq!(BundleHeaderProto::decode(&bytes[..]).unwrap(), header);
}

#[test]
fn a_bundle_entry_keeps_its_checksum_in_fixed32() {
    let entry = BundleEntryProto { dtype: DataType::DtFloat.into(), crc32c: 0x0403_0201, ..Default::default() };
    assert_eq!(entry.encode_to_vec(), [0x08, 1, 0x35, 1, 2, 3, 4]);
}

#[test]
fn an_incarnation_is_fixed64() {
    let device = DeviceAttributes { incarnation: 0x0807_0605_0403_0201, xla_global_id: -1, ..Default::default() };
    let mut bytes = vec![0x31, 1, 2, 3, 4, 5, 6, 7, 8, 0x40];
    bytes.extend([0xff; 9]);
    bytes.push(1);
    assert_eq!(device.encode_to_vec(), bytes);
}

#[test]
fn a_live_control_edge_is_read_although_its_fields_are_out_of_order() {
    let bytes = [0x18, 0x96, 0x01, 0x0a, 0x0a, 0x08, 0x01, 0x12, 0x04, 0x12, 0x02, 0x08, 0x00, 0x22, 0x00];
    let response = RecvTensorResponse::decode(&bytes[..]).unwrap();
    assert_eq!(response.send_start_micros, 150);
    assert!(!response.is_dead);
    let tensor = response.tensor.unwrap();
    assert_eq!(tensor.dtype(), DataType::DtFloat);
    assert_eq!(tensor.tensor_shape, Some(dims(&[0])));
    assert!(tensor.tensor_content.is_empty());
}

#[test]
fn a_received_scalar_has_no_shape() {
    let bytes = [0x18, 0x01, 0x0a, 0x08, 0x08, 0x01, 0x22, 0x04, 0x00, 0x00, 0x80, 0x3f];
    let tensor = RecvTensorResponse::decode(&bytes[..]).unwrap().tensor.unwrap();
    assert_eq!(tensor.tensor_shape, None);
    assert_eq!(&tensor.tensor_content[..], 1.0f32.to_le_bytes());
}

#[test]
fn the_new_version_of_an_extended_session_is_field_4() {
    assert_eq!(ExtendSessionResponse { new_graph_version: 3 }.encode_to_vec(), [0x20, 3]);
}

#[test]
fn lists_of_numbers_are_read_packed_unpacked_and_mixed_and_are_written_packed() {
    let packed = [0x3a, 0x03, 0x01, 0xac, 0x02];
    let unpacked = [0x38, 0x01, 0x38, 0xac, 0x02];
    let mixed = [0x3a, 0x01, 0x01, 0x38, 0xac, 0x02];
    for bytes in [&packed[..], &unpacked[..], &mixed[..]] {
        assert_eq!(TensorProto::decode(bytes).unwrap().int_val, [1, 300]);
    }
    assert_eq!(TensorProto { int_val: vec![1, 300], ..Default::default() }.encode_to_vec(), packed);
}

#[test]
fn every_list_of_a_tensor_uses_its_own_number() {
    let tensor = TensorProto {
        float_val: vec![1.0],
        double_val: vec![1.0],
        int_val: vec![1],
        string_val: vec![Bytes::from_static(b"s")],
        scomplex_val: vec![1.0, 2.0],
        int64_val: vec![1],
        bool_val: vec![true],
        dcomplex_val: vec![1.0, 2.0],
        half_val: vec![1],
        resource_handle_val: vec![ResourceHandleProto::default()],
        variant_val: vec![VariantTensorDataProto::default()],
        uint32_val: vec![1],
        uint64_val: vec![1],
        float8_val: Bytes::from_static(b"8"),
        ..Default::default()
    };
    let bytes = tensor.encode_to_vec();
    let mut numbers = Vec::new();
    let mut rest = &bytes[..];
    while !rest.is_empty() {
        let (number, wire_type) = prost::encoding::decode_key(&mut rest).unwrap();
        assert_eq!(wire_type, prost::encoding::WireType::LengthDelimited);
        let length = prost::encoding::decode_varint(&mut rest).unwrap() as usize;
        rest = &rest[length..];
        numbers.push(number);
    }
    assert_eq!(numbers, (5..=18).collect::<Vec<u32>>());
    assert_eq!(TensorProto::decode(&bytes[..]).unwrap(), tensor);
}

#[test]
fn a_zero_in_a_oneof_is_present_on_the_wire() {
    assert_eq!(AttrValue { value: Some(Value::I(0)) }.encode_to_vec(), [0x18, 0]);
    assert_eq!(AttrValue { value: Some(Value::B(false)) }.encode_to_vec(), [0x28, 0]);
    let value = summary::Value { value: Some(summary::value::Value::SimpleValue(0.0)), ..Default::default() };
    assert_eq!(value.encode_to_vec(), [0x15, 0, 0, 0, 0]);
    assert_eq!(AttrValue::decode(&[0x18, 0][..]).unwrap().value, Some(Value::I(0)));
    assert_eq!(AttrValue::decode(&[][..]).unwrap().value, None);
}

#[test]
fn an_extent_tells_a_full_dimension_from_length_zero() {
    use tensor_slice_proto::{Extent, extent::HasLength};
    assert_eq!(Extent::default().encode_to_vec(), []);
    assert_eq!(Extent { start: 0, has_length: Some(HasLength::Length(0)) }.encode_to_vec(), [0x10, 0]);
}

#[test]
fn equal_maps_have_equal_bytes_whatever_the_order_of_insertion() {
    let attr = |keys: &[&str]| keys.iter().map(|&key| (key.to_string(), AttrValue { value: Some(Value::I(1)) })).collect();
    let one = NodeDef { attr: attr(&["b", "a", "c"]), ..Default::default() };
    let other = NodeDef { attr: attr(&["c", "b", "a"]), ..Default::default() };
    let entry = |key| [0x2a, 0x07, 0x0a, 0x01, key, 0x12, 0x02, 0x18, 0x01];
    assert_eq!(one.encode_to_vec(), [entry(b'a'), entry(b'b'), entry(b'c')].concat());
    assert_eq!(one.encode_to_vec(), other.encode_to_vec());
}

#[test]
fn a_map_entry_may_lack_its_key_or_its_value_and_the_last_of_equal_keys_wins() {
    let bytes = [0x12, 0x03, 0x12, 0x01, b'a', 0x12, 0x02, 0x08, 0x07, 0x12, 0x05, 0x08, 0x00, 0x12, 0x01, b'b'];
    let job = JobDef::decode(&bytes[..]).unwrap();
    assert_eq!(job.tasks.into_iter().collect::<Vec<_>>(), [(0, "b".to_string()), (7, String::new())]);
}

#[test]
fn an_unknown_enum_number_survives() {
    let bytes = [0x08, 0xe7, 0x07];
    let tensor = TensorProto::decode(&bytes[..]).unwrap();
    assert_eq!(tensor.dtype, 999);
    assert!(DataType::try_from(tensor.dtype).is_err());
    assert_eq!(tensor.encode_to_vec(), bytes);
}

#[test]
fn an_unknown_field_of_any_wire_type_is_skipped() {
    let known = [0x08, 0x05];
    let unknown: [&[u8]; 4] =
        [&[0xa0, 0x06, 0x01], &[0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8], &[0xa2, 0x06, 0x01, 0xff], &[0xa5, 0x06, 1, 2, 3, 4]];
    for field in unknown {
        let request = CleanupGraphRequest::decode(&[field, &known].concat()[..]).unwrap();
        assert_eq!(request.step_id, 5);
    }
}

#[test]
fn the_content_of_a_tensor_shares_the_received_buffer() {
    let tensor = TensorProto { tensor_content: Bytes::from(vec![7; 1000]), ..Default::default() };
    let received = Bytes::from(RecvTensorResponse { tensor: Some(tensor), ..Default::default() }.encode_to_vec());
    let content = RecvTensorResponse::decode(received.clone()).unwrap().tensor.unwrap().tensor_content;
    assert_eq!(content, vec![7; 1000]);
    let range = received.as_ptr_range();
    assert!(range.contains(&content.as_ptr()), "the content was copied");
}

#[test]
fn merging_lets_set_scalars_win_and_appends_lists() {
    let filters = |names: &[&str]| names.iter().map(|&name| name.to_string()).collect::<Vec<_>>();
    let mut client = ConfigProto {
        inter_op_parallelism_threads: 2,
        intra_op_parallelism_threads: 4,
        device_filters: filters(&["/job:ps"]),
        ..Default::default()
    };
    let server = ConfigProto { inter_op_parallelism_threads: 8, device_filters: filters(&["/job:worker"]), ..Default::default() };
    client.merge(server.encode_to_vec().as_slice()).unwrap();
    assert_eq!((client.inter_op_parallelism_threads, client.intra_op_parallelism_threads), (8, 4));
    assert_eq!(client.device_filters, filters(&["/job:ps", "/job:worker"]));
}

#[test]
fn text_that_is_not_utf8_is_refused_in_strings_and_kept_in_bytes() {
    assert!(NodeDef::decode(&[0x0a, 0x01, 0xff][..]).is_err());
    let attr = AttrValue::decode(&[0x12, 0x01, 0xff][..]).unwrap();
    assert_eq!(attr.value, Some(Value::S(Bytes::from_static(&[0xff]))));
}

#[test]
fn a_length_beyond_the_end_is_an_error() {
    for length in [vec![0x05], vec![0xff, 0xff, 0xff, 0xff, 0x0f], vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]] {
        let bytes = [vec![0x22], length, vec![1]].concat();
        assert!(TensorProto::decode(&bytes[..]).is_err(), "{bytes:x?}");
    }
}

#[test]
fn nesting_without_end_is_an_error() {
    let mut shell = AttrValue { value: Some(Value::I(1)) };
    for _ in 0..200 {
        let list =
            ListValue { func: vec![NameAttrList { name: String::new(), attr: [("f".to_string(), shell)].into() }], ..Default::default() };
        shell = AttrValue { value: Some(Value::List(list)) };
    }
    assert!(AttrValue::decode(shell.encode_to_vec().as_slice()).is_err());
}

#[test]
fn codes_have_the_numbers_of_grpc() {
    let names = [
        (Code::Ok, 0),
        (Code::Cancelled, 1),
        (Code::InvalidArgument, 3),
        (Code::NotFound, 5),
        (Code::FailedPrecondition, 9),
        (Code::Aborted, 10),
        (Code::OutOfRange, 11),
        (Code::Unavailable, 14),
        (Code::DataLoss, 15),
        (Code::Unauthenticated, 16),
    ];
    for (code, number) in names {
        assert_eq!(code as i32, number, "{code:?}");
    }
}

#[test]
fn every_data_type_has_its_reference_100_above() {
    let mut count = 0;
    for number in 1..100 {
        let Ok(plain) = DataType::try_from(number) else { continue };
        let reference = DataType::try_from(number + 100).unwrap();
        assert_eq!(reference.as_str_name(), format!("{}_REF", plain.as_str_name()));
        count += 1;
    }
    assert_eq!(count, 33);
}
