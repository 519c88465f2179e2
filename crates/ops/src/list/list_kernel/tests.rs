//! What the list ops do; messages are those that TensorFlow 2.21 gives.

use crate::prelude::*;

fn dims(dims: &[i32]) -> Tensor {
    tensor(&[dims.len() as i64], dims)
}

fn any_shape() -> Tensor {
    Tensor::scalar(-1i32)
}

fn reserved(shape: Tensor, n: i32) -> Tensor {
    OpTester::named("TensorListReserve").input(shape).input(Tensor::scalar(n)).attr("element_dtype", DType::Float).run_one().unwrap()
}

fn pushed(list: Tensor, element: Tensor) -> Result<Tensor> {
    OpTester::named("TensorListPushBack").input(list).input(element).run_one()
}

fn empty(shape: Tensor, most: i32) -> Tensor {
    OpTester::named("EmptyTensorList").input(shape).input(Tensor::scalar(most)).attr("element_dtype", DType::Float).run_one().unwrap()
}

fn set(list: Tensor, i: i32, item: Tensor) -> Result<Tensor> {
    OpTester::named("TensorListSetItem").input(list).input(Tensor::scalar(i)).input(item).run_one()
}

fn floats(op: &str, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
    inputs.into_iter().fold(OpTester::named(op), |t, i| t.input(i)).attr("element_dtype", DType::Float).run()
}

fn stacked(list: Tensor, shape: Tensor) -> Result<Tensor> {
    Ok(floats("TensorListStack", vec![list, shape])?.remove(0))
}

fn length(list: &Tensor) -> i32 {
    OpTester::named("TensorListLength").input(list.clone()).run_one().unwrap().to_scalar().unwrap()
}

fn says<T>(result: Result<T>, words: &str) {
    let e = result.err().unwrap_or_else(|| panic!("no error with '{words}'"));
    assert!(e.code() == Code::InvalidArgument && e.bare_message().contains(words), "{e}");
}

fn one() -> Tensor {
    pushed(empty(dims(&[2]), -1), tensor(&[2], &[1f32, 2.0])).unwrap()
}

#[test]
fn what_is_pushed_last_is_popped_first_and_the_old_list_stays() {
    let list = one();
    let longer = pushed(list.clone(), tensor(&[2], &[3f32, 4.0])).unwrap();
    assert_eq!((length(&list), length(&longer)), (1, 2));
    let popped = floats("TensorListPopBack", vec![longer.clone(), dims(&[2])]).unwrap();
    assert_eq!((length(&popped[0]), popped[1].as_slice::<f32>().unwrap()), (1, &[3f32, 4.0][..]));
    assert_eq!(stacked(longer, dims(&[2])).unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    says(pushed(list.clone(), tensor(&[3], &[0f32; 3])), "Op element shape: [3] list shape: [2]");
    says(pushed(list, tensor(&[2], &[0i32; 2])), "op elements int32 but list elements float");
    let full = pushed(empty(dims(&[]), 1), Tensor::scalar(1f32)).unwrap();
    says(pushed(full, Tensor::scalar(1f32)), "list size: 1 max_num_elements: 1");
    says(floats("TensorListPopBack", vec![empty(dims(&[2]), -1), dims(&[2])]), "Trying to pop from an empty list.");
}

#[test]
fn a_list_that_nobody_else_holds_is_changed_in_place() {
    let mut list = crate::list::tensor_list::TensorList::new(DType::Float, PartialShape::scalar());
    list.tensors.reserve(8);
    list.tensors.push(Some(Tensor::scalar(1f32)));
    let memory = list.tensors.as_ptr();
    let list = crate::list::tensor_list::TensorList::taken(list.into_tensor().unwrap()).unwrap();
    assert_eq!(list.tensors.as_ptr(), memory);
    let shared = list.into_tensor().unwrap();
    let copy = crate::list::tensor_list::TensorList::taken(shared.clone()).unwrap();
    assert_ne!(copy.tensors.as_ptr(), memory);
    assert_eq!(length(&shared), 1);
}

#[test]
fn elements_that_are_not_set_are_zeros_of_the_known_shape() {
    let get = |list: Tensor, i: i32, shape: Tensor| floats("TensorListGetItem", vec![list, Tensor::scalar(i), shape]);
    assert_eq!(get(reserved(dims(&[-1]), 2), 0, dims(&[3])).unwrap()[0].dims(), [3]);
    says(get(reserved(any_shape(), 2), 0, any_shape()), "no list element is set");
    let half = set(reserved(any_shape(), 2), 1, tensor(&[2], &[1f32, 2.0])).unwrap();
    assert_eq!(get(half.clone(), 0, any_shape()).unwrap()[0].as_slice::<f32>().unwrap(), [0.0, 0.0]);
    assert_eq!(stacked(half.clone(), any_shape()).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0, 1.0, 2.0]);
    says(get(half.clone(), 2, any_shape()), "Trying to access element 2 in a list with 2 elements.");
    says(set(half.clone(), -1, Tensor::scalar(1f32)), "Trying to modify element -1");
    let uneven = set(half, 0, tensor(&[1], &[1f32])).unwrap();
    says(stacked(uneven, any_shape()), "Incompatible shapes during merge: [2] vs. [1]");
    says(stacked(reserved(any_shape(), 2), any_shape()), "only contains uninitialized tensors");
    says(stacked(empty(any_shape(), -1), any_shape()), "empty list with non-fully-defined element_shape: <unknown>");
}

#[test]
fn huge_lists_are_refused() {
    let reserve =
        OpTester::named("TensorListReserve").input(any_shape()).input(Tensor::scalar(i32::MAX)).attr("element_dtype", DType::Float);
    assert_eq!(reserve.run().unwrap_err().code(), Code::ResourceExhausted);
    let set = OpTester::named("TensorListSetItem").input(one()).input(Tensor::scalar(i32::MAX)).input(tensor(&[2], &[1f32, 2.0]));
    assert_eq!(set.attr("resize_if_index_out_of_bounds", true).run().unwrap_err().code(), Code::ResourceExhausted);
}

#[test]
fn rows_become_elements_and_elements_rows() {
    let rows = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
    let list = OpTester::named("TensorListFromTensor").input(rows.clone()).input(dims(&[2])).run_one().unwrap();
    assert_eq!(stacked(list.clone(), any_shape()).unwrap().as_slice::<f32>().unwrap(), rows.as_slice::<f32>().unwrap());
    let gather = floats("TensorListGather", vec![list, tensor(&[3], &[1i32, 0, 1]), any_shape()]).unwrap();
    assert_eq!(gather[0].as_slice::<f32>().unwrap(), [3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    let scatter = |indices: &[i32], n: i32| {
        let t = OpTester::named("TensorListScatterV2").input(rows.clone()).input(tensor(&[2], indices)).input(any_shape());
        t.input(Tensor::scalar(n)).run_one()
    };
    assert_eq!(length(&scatter(&[0, 3], -1).unwrap()), 4);
    assert_eq!(length(&scatter(&[0, 3], 6).unwrap()), 6);
    says(scatter(&[0, 3], 2), "Trying to scatter at index 3 in list with size 2");
    says(scatter(&[0, -3], 6), "must all be non-negative");
    let from_scalar = OpTester::named("TensorListFromTensor").input(Tensor::scalar(1f32)).input(dims(&[])).run_one();
    says(from_scalar, "Tensor must be at least a vector, but saw shape: []");
}

#[test]
fn split_and_concat_undo_each_other() {
    let rows = tensor(&[3], &[1f32, 2.0, 3.0]);
    let split = |lengths: &[i64]| {
        let t = OpTester::named("TensorListSplit").input(rows.clone()).input(dims(&[-1]));
        t.input(tensor(&[lengths.len() as i64], lengths)).run_one()
    };
    let list = split(&[1, 2]).unwrap();
    let concat = |list: Tensor, shape: Tensor, leading: &[i64]| {
        floats("TensorListConcatV2", vec![list, shape, tensor(&[leading.len() as i64], leading)])
    };
    let out = concat(list, dims(&[-1]), &[]).unwrap();
    assert_eq!(out[0].as_slice::<f32>().unwrap(), rows.as_slice::<f32>().unwrap());
    assert_eq!(out[1].as_slice::<i64>().unwrap(), [1, 2]);
    says(split(&[1, 1]), "Length of tensor: 3 Values used: 2");
    says(split(&[-1, 4]), "Attempting to slice");
    says(split(&[i64::MAX, 1]), "Attempting to slice");
    assert_eq!(concat(reserved(dims(&[-1]), 2), dims(&[-1]), &[1, 2]).unwrap()[0].dims(), [3]);
    says(concat(reserved(dims(&[-1]), 2), dims(&[-1]), &[]), "leading_dims has only 0 elements");
    says(concat(empty(any_shape(), -1), any_shape(), &[]), "must be fully defined when concating an empty tensor list");
    says(concat(reserved(dims(&[]), 1), any_shape(), &[1]), "found scalars instead");
}

#[test]
fn lists_are_added_element_by_element() {
    let add = |a: Tensor, b: Tensor| OpTester::named("AddN").input_list([a, b]).run_one();
    let sum = add(one(), one()).unwrap();
    assert_eq!(stacked(sum, any_shape()).unwrap().as_slice::<f32>().unwrap(), [2.0, 4.0]);
    let with_unset = add(one(), reserved(dims(&[2]), 1)).unwrap();
    assert_eq!(stacked(with_unset, any_shape()).unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0]);
    says(add(one(), empty(dims(&[2]), -1)), "different lengths. One is 1 and the other is 0");
    let zeros = OpTester::named("ZerosLike").input(one()).run_one().unwrap();
    assert_eq!(stacked(zeros, any_shape()).unwrap().as_slice::<f32>().unwrap(), [0.0, 0.0]);
}

#[test]
fn what_is_no_list_is_refused() {
    let lists = Tensor::variants(Shape::new(&[2]).unwrap(), [one(), one()].iter().map(|l| l.as_variants().unwrap()[0].clone()).collect());
    let lists = lists.unwrap();
    says(OpTester::named("TensorListLength").input(lists.clone()).run(), "Input list must be a scalar saw: [2]");
    let nothing = Tensor::zeros(DType::Variant, Shape::scalar()).unwrap();
    says(OpTester::named("TensorListLength").input(nothing).run(), "Input handle is not a list");
    let batch = tensor(&[2, 2], &[1f32, 2.0, 3.0, 4.0]);
    let pushed = OpTester::named("TensorListPushBackBatch").input(lists.clone()).input(batch).run_one().unwrap();
    let joined = OpTester::named("TensorListConcatLists").input(pushed.clone()).input(lists).attr("element_dtype", DType::Float).run_one();
    let second = Tensor::variants(Shape::scalar(), vec![joined.unwrap().as_variants().unwrap()[1].clone()]).unwrap();
    assert_eq!(stacked(second, any_shape()).unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]);
}
