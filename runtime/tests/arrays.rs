//! Arrays: making, reading and writing them, views, freeing, and what is refused.
use pullback_lang::{Mat33, Vec3};
use pullback_runtime::{Array, Device, Error};

type Result<T = ()> = std::result::Result<T, Error>;

fn count(shape: [usize; 2]) -> Array<i32, 2> {
    let elements: Vec<i32> = (0..(shape[0] * shape[1]) as i32).collect();
    Array::from_slice(&Device::cpu(), &elements).reshape(shape).expect("as many elements")
}

#[test]
fn devices_are_equal_to_themselves() {
    assert_eq!(Device::cpu(), Device::cpu());
    assert_ne!(Device::cpu(), Device::cpu_with_threads(2));
    assert_eq!(count([1, 1]).device(), &Device::cpu());
    let message = Device::cuda(0).unwrap_err().to_string();
    assert!(message.contains("CUDA") && message.contains("Device::cpu()"), "{message}");
}

#[test]
fn elements_of_every_kind_come_back() -> Result {
    fn there_and_back<T: pullback_lang::ArrayElement + PartialEq + std::fmt::Debug>(elements: &[T]) -> Result {
        let device = Device::cpu();
        let array = Array::from_slice(&device, elements);
        assert_eq!(array.to_vec()?, elements);
        assert_eq!(array.get([1])?, elements[1]);
        assert_eq!(Array::full(&device, [2, 1], elements[0]).to_vec()?, [elements[0]; 2]);
        Ok(())
    }
    there_and_back(&[1.5f32, -0.0, f32::MAX])?;
    there_and_back(&[1.5f64, f64::INFINITY])?;
    there_and_back(&[1i32, i32::MIN])?;
    there_and_back(&[1u32, u32::MAX])?;
    there_and_back(&[1i64, i64::MIN])?;
    there_and_back(&[1u64, u64::MAX])?;
    there_and_back(&[Vec3::new(1.0f32, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)])?;
    there_and_back(&[Mat33::<f64>::identity(), Mat33::<f64>::identity() * 2.0])
}

#[test]
fn shapes_and_lengths_must_fit() -> Result {
    let device = Device::cpu();
    let message = Array::from_shape(&device, [2, 3], &[1.0; 5]).unwrap_err().to_string();
    assert!(message.contains('5') && message.contains('6'), "{message}");
    let mut x = Array::<f64>::zeros(&device, [3]);
    assert!(matches!(x.copy_from_slice(&[1.0; 2]), Err(Error::Shape { .. })));
    assert!(matches!(x.copy_from(&Array::zeros(&device, [4])), Err(Error::Shape { .. })));
    assert!(matches!(x.reshape([2, 2]), Err(Error::Shape { .. })));
    assert!(matches!(x.get([3]), Err(Error::HostIndex { index: 3, len: 3 })));
    assert_eq!(x.to_vec()?, [0.0; 3]);
    Ok(())
}

#[test]
fn arrays_of_no_length() -> Result {
    let device = Device::cpu();
    let mut x = Array::<f32>::from_slice(&device, &[]);
    assert!(x.is_empty());
    x.fill(1.0)?;
    x.copy_from_slice(&[])?;
    assert_eq!(x.to_vec()?, []);
    assert_eq!(x.slice(0, 0..0)?.duplicate()?.to_vec()?, []);
    let y = Array::<f32, 3>::zeros(&device, [4, 0, 2]);
    assert_eq!((y.len(), y.permute([2, 0, 1])?.shape()), (0, [2, 4, 0]));
    assert!(matches!(x.get([0]), Err(Error::HostIndex { index: 0, len: 0 })));
    let mut odd = Array::<f32, 3>::zeros(&device, [0, usize::MAX, 2]).permute([1, 2, 0])?;
    odd.fill(1.0)?;
    assert_eq!((odd.len(), odd.to_vec()?.len()), (0, 0));
    Ok(())
}

#[test]
fn clones_share_and_duplicates_do_not() -> Result {
    let mut x = Array::from_slice(&Device::cpu(), &[1.0, 2.0]);
    let (shared, copy) = (x.clone(), x.duplicate()?);
    x.fill(7.0)?;
    assert_eq!(shared.to_vec()?, [7.0; 2]);
    assert_eq!(copy.to_vec()?, [1.0, 2.0]);
    Ok(())
}

#[test]
fn views_read_and_write_their_part() -> Result {
    let x = count([3, 4]);
    assert_eq!(x.row(1)?.to_vec()?, [4, 5, 6, 7]);
    assert_eq!(x.permute([1, 0])?.to_vec()?, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
    assert_eq!(x.permute([1, 0])?.row(2)?.to_vec()?, [2, 6, 10]);
    assert_eq!(x.slice(0, 1..3)?.slice(1, 2..4)?.to_vec()?, [6, 7, 10, 11]);
    assert_eq!(x.slice_step(1, 0..4, 3)?.to_vec()?, [0, 3, 4, 7, 8, 11]);
    assert_eq!(x.reshape([12])?.slice_step(0, 1..12, 5)?.to_vec()?, [1, 6, 11]);
    assert_eq!(x.permute([1, 0])?.get([3, 2])?, 11);
    x.permute([1, 0])?.row(0)?.copy_from_slice(&[-1, -2, -3])?;
    x.slice(1, 3..4)?.fill(9)?;
    assert_eq!(x.to_vec()?, [-1, 1, 2, 9, -2, 5, 6, 9, -3, 9, 10, 9]);
    Ok(())
}

#[test]
fn views_outside_the_array_are_refused() -> Result {
    let x = count([3, 4]);
    assert!(matches!(x.row(3), Err(Error::HostIndex { index: 3, len: 3 })));
    assert!(matches!(x.slice(1, 2..5), Err(Error::HostIndex { index: 5, len: 4 })));
    #[allow(clippy::reversed_empty_ranges)]
    let reversed = x.slice(0, 2..1);
    assert!(matches!(reversed, Err(Error::NoView { .. })));
    assert!(matches!(x.slice(2, 0..1), Err(Error::NoView { .. })));
    assert!(x.slice_step(0, 0..3, 0).is_err());
    assert!(x.permute([0, 0]).is_err());
    assert!(matches!(x.permute([1, 0])?.reshape([12]), Err(Error::NotContiguous { .. })));
    assert_eq!(x.permute([1, 0])?.contiguous()?.reshape([12])?.get([1])?, 4);
    Ok(())
}

#[test]
fn elements_seen_as_another_type() -> Result {
    let x = Array::from_slice(&Device::cpu(), &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let v: Array<Vec3<f64>> = x.cast_elements()?;
    assert_eq!(v.to_vec()?, [Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 5.0, 6.0)]);
    assert_eq!(v.cast_elements::<f64>()?.to_vec()?, x.to_vec()?);
    assert!(x.cast_elements::<f32>().is_err());
    assert!(x.slice(0, 0..4)?.cast_elements::<Vec3<f64>>().is_err());
    Ok(())
}

#[test]
fn freed_memory_is_an_error_for_all_who_share_it() -> Result {
    let device = Device::cpu();
    let x = Array::from_slice(&device, &[1.0, 2.0]);
    let (mut other, view) = (x.clone(), x.slice(0, 0..1)?);
    x.free();
    for error in [
        other.to_vec().unwrap_err(),
        other.fill(1.0).unwrap_err(),
        other.copy_from_slice(&[1.0, 2.0]).unwrap_err(),
        other.get([0]).unwrap_err(),
        other.duplicate().unwrap_err(),
        view.to_vec().unwrap_err(),
    ] {
        assert!(matches!(error, Error::Freed { .. }), "{error}");
    }
    assert!(format!("{other:?}").contains("freed"));
    Ok(())
}

#[test]
fn copies_between_devices_and_views() -> Result {
    let x = count([2, 3]);
    let device = Device::cpu_with_threads(1);
    let y = x.permute([1, 0])?.to_device(&device)?;
    assert_eq!((y.device(), y.to_vec()?), (&device, vec![0, 3, 1, 4, 2, 5]));
    let mut z = count([3, 2]);
    z.copy_from(&y)?;
    assert_eq!(z.to_vec()?, y.to_vec()?);
    // Onto itself, in another order.
    let mut square = count([2, 2]);
    square.copy_from(&square.permute([1, 0])?)?;
    assert_eq!(square.to_vec()?, [0, 2, 1, 3]);
    Ok(())
}

#[test]
fn ndarrays_in_any_layout() -> Result {
    let a = ndarray::array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let x = Array::from_ndarray(&Device::cpu(), &a.t());
    assert_eq!(x.shape(), [3, 2]);
    assert_eq!(x.to_ndarray()?, a.t());
    assert_eq!(x.permute([1, 0])?.to_ndarray()?, a);
    Ok(())
}

#[test]
fn host_threads_share_arrays() -> Result {
    let x = Array::<u64>::zeros(&Device::cpu(), [1000]);
    std::thread::scope(|scope| {
        for k in 1..5 {
            let mut x = x.clone();
            scope.spawn(move || (0..50).for_each(|_| x.fill(k).unwrap()));
        }
        for _ in 0..50 {
            // A fill is seen whole or not at all.
            let seen = x.to_vec().unwrap();
            assert!(seen.iter().all(|&v| v == seen[0]));
        }
    });
    Ok(())
}
